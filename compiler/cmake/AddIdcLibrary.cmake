# add_idc_library(NAME SOURCES... [DEPENDS tablegen-targets...] [LINK libraries...])
#
# A static library of the compiler. It links what it names in LINK publicly, so a tool lists only what it calls.
function(add_idc_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

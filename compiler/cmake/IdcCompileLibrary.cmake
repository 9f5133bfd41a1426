# idc_add_library(NAME SOURCE file.id ENTRY algorithm [SIZES [n=]8..24 ...] [TYPES [T=]f32 ...] [ARCHS 80 90 ...] [CPU]
#                 [PLAN throughput|latency] [IN_PLACE] [LAYOUTS x=stride:4 ...] [IMPORTS folder...]
#                 [DEVICES 2 4 ...] [DISTRIBUTE x=low ...] [MEMORY 8GiB] [CPU_SHARE auto|K/M])
#
# Compiles an algorithm to the library NAME, a target to link: it brings the header NAME.h, the archive libNAME.a and
# idc's runtime. It is made again when the source or a file that it imports has changed.
#
#   SOURCE   relative to the current source folder; a name that no file there has is a program of the standard library
#   SIZES    what the sizes of the algorithm are bound to: ranges, or lists as in m=1,2,4; a value without a name is n's
#   TYPES    the same for type variables; without a name, T's. Several types give functions NAME_f32, NAME_f64
#   ARCHS    GPU architectures; the newest one's code also runs on later GPUs
#   CPU      also for the CPU; alone, without ARCHS, only for it
#   IN_PLACE every result may have the memory of an input
#   LAYOUTS  how arrays lie in memory that are not dense, as docs/linking.md describes
#   DEVICES  GPUs that work on each problem together: functions take a group of one of these numbers (docs/devices.md)
#   DISTRIBUTE  which of them has what of arrays
#   MEMORY   arrays lie in the host's memory, and pass through so much of the GPU's (docs/host-memory.md)
#   CPU_SHARE  of their chunks the CPU takes K of M, or as many as are counted to pay
#   IMPORTS  folders where imports are looked for, beside the source's own and the standard library
#
# The functions of the header are called NAME; docs/linking.md describes them.
function(idc_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "CPU;IN_PLACE" "SOURCE;ENTRY;PLAN;MEMORY;CPU_SHARE" "SIZES;TYPES;ARCHS;LAYOUTS;IMPORTS;DEVICES;DISTRIBUTE")
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCE OR NOT ARG_ENTRY)
    message(FATAL_ERROR "idc_add_library(${name} ...) needs SOURCE and ENTRY and does not know: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_ARCHS AND NOT ARG_CPU)
    message(FATAL_ERROR "idc_add_library(${name} ...) needs ARCHS, CPU, or both")
  endif()
  if(NOT IDC_COMPILER)
    message(FATAL_ERROR "idc_add_library(${name} ...) needs the compiler idc, which is not installed beside the runtime; "
      "set IDC_COMPILER to its path")
  endif()

  # The compiler knows where its standard library is, and the dependency file what it read of it.
  get_filename_component(source ${ARG_SOURCE} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
  get_source_file_property(generated ${source} GENERATED)
  set(own_source ${source})
  if(NOT IS_ABSOLUTE ${ARG_SOURCE} AND NOT EXISTS ${source} AND NOT generated)
    set(source ${ARG_SOURCE})
    set(own_source "")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/idc/${name})
  file(MAKE_DIRECTORY ${folder})
  set(arguments compile ${source} --entry ${ARG_ENTRY} -o ${folder}/${name} --depfile ${folder}/${name}.d)
  foreach(size IN LISTS ARG_SIZES)
    if(NOT size MATCHES "=")
      set(size "n=${size}")
    endif()
    list(APPEND arguments --set ${size})
  endforeach()
  foreach(type IN LISTS ARG_TYPES)
    if(NOT type MATCHES "=")
      set(type "T=${type}")
    endif()
    list(APPEND arguments --set ${type})
  endforeach()
  if(ARG_ARCHS)
    list(TRANSFORM ARG_ARCHS PREPEND sm_)
    list(JOIN ARG_ARCHS "," architectures)
    list(APPEND arguments --arch ${architectures})
  endif()
  if(ARG_CPU AND ARG_ARCHS)
    list(APPEND arguments --target nvptx,cpu)
  elseif(ARG_CPU)
    list(APPEND arguments --target cpu)
  endif()
  if(ARG_PLAN)
    list(APPEND arguments --plan ${ARG_PLAN})
  endif()
  if(ARG_MEMORY)
    list(APPEND arguments --memory ${ARG_MEMORY})
  endif()
  if(ARG_CPU_SHARE)
    list(APPEND arguments --cpu-share ${ARG_CPU_SHARE})
  endif()
  if(ARG_IN_PLACE)
    list(APPEND arguments --in-place)
  endif()
  foreach(layout IN LISTS ARG_LAYOUTS)
    list(APPEND arguments --layout ${layout})
  endforeach()
  if(ARG_DEVICES)
    list(JOIN ARG_DEVICES "," devices)
    list(APPEND arguments --devices ${devices})
  endif()
  foreach(distribution IN LISTS ARG_DISTRIBUTE)
    list(APPEND arguments --distribute ${distribution})
  endforeach()
  foreach(import IN LISTS ARG_IMPORTS)
    get_filename_component(import ${import} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND arguments -I${import})
  endforeach()

  set(archive ${folder}/lib${name}.a)
  add_custom_command(
    OUTPUT ${archive}
    BYPRODUCTS ${folder}/${name}.h ${folder}/${name}.json
    COMMAND ${IDC_COMPILER} ${arguments}
    DEPENDS ${own_source} ${IDC_COMPILER}
    WORKING_DIRECTORY ${folder}
    DEPFILE ${folder}/${name}.d
    COMMENT "Compiling ${name} with idc"
    VERBATIM)
  add_custom_target(${name}_idc DEPENDS ${archive})
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_idc)
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${folder}> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${name} INTERFACE
    $<BUILD_INTERFACE:${archive}> $<INSTALL_INTERFACE:$<INSTALL_PREFIX>/lib/lib${name}.a> idc::runtime m)
  set_target_properties(${name} PROPERTIES IDC_FOLDER ${folder})
endfunction()

# idc_install_library(NAME [EXPORT set])
#
# Installs the archive, the header and the manifest of a library into lib, include and share/NAME. With EXPORT its
# target belongs to the export set; whoever uses it needs find_package(idc) first.
function(idc_install_library name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "EXPORT" "")
  get_target_property(folder ${name} IDC_FOLDER)
  install(FILES ${folder}/lib${name}.a DESTINATION lib)
  install(FILES ${folder}/${name}.h DESTINATION include)
  install(FILES ${folder}/${name}.json DESTINATION share/${name})
  if(ARG_EXPORT)
    install(TARGETS ${name} EXPORT ${ARG_EXPORT})
  endif()
endfunction()

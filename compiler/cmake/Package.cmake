# What is installed: the runtime, which applications need; the compiler, which building them needs, and those that compile
# while they run, as a library; the Python package. `cpack -G DEB` makes a Debian package of each.
include(CMakePackageConfigHelpers)

install(TARGETS idc idc-opt idc-runner RUNTIME DESTINATION bin COMPONENT compiler)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/stdlib DESTINATION share/idc COMPONENT compiler)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/idc COMPONENT compiler)
install(FILES ${CMAKE_BINARY_DIR}/idc.1 DESTINATION share/man/man1 COMPONENT compiler)
# Where Debian's shells look; zsh elsewhere has another folder (docs/install.md).
install(FILES ${CMAKE_BINARY_DIR}/completion/idc.bash DESTINATION share/bash-completion/completions RENAME idc
  COMPONENT compiler)
install(FILES ${CMAKE_BINARY_DIR}/completion/idc.zsh DESTINATION share/zsh/vendor-completions RENAME _idc
  COMPONENT compiler)
install(FILES ${CMAKE_BINARY_DIR}/completion/idc.fish DESTINATION share/fish/vendor_completions.d COMPONENT compiler)

install(TARGETS idc_compiler EXPORT idcCompilerTargets DESTINATION lib COMPONENT compiler INCLUDES DESTINATION include)
install(FILES ${PROJECT_SOURCE_DIR}/compiler/library/include/idc/compiler.h DESTINATION include/idc COMPONENT compiler)
configure_file(${PROJECT_SOURCE_DIR}/compiler/library/idc-compiler.pc.in ${CMAKE_CURRENT_BINARY_DIR}/idc-compiler.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/idc-compiler.pc DESTINATION lib/pkgconfig COMPONENT compiler)

install(TARGETS idc_fftw3 idc_fftw3f idc_cufft idc_gtsv idc_xla LIBRARY DESTINATION lib COMPONENT compiler)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/idc DESTINATION lib/python3/dist-packages COMPONENT python
  PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/python3-idc COMPONENT python)

install(TARGETS idc_runtime idc_runtime_shared EXPORT idcTargets DESTINATION lib COMPONENT runtime
  INCLUDES DESTINATION include)
install(FILES ${PROJECT_SOURCE_DIR}/runtime/include/idc/runtime.h ${PROJECT_SOURCE_DIR}/runtime/include/idc/library.h
        ${PROJECT_SOURCE_DIR}/runtime/include/idc/group.h ${PROJECT_SOURCE_DIR}/runtime/include/idc/group_mpi.h
        ${PROJECT_SOURCE_DIR}/runtime/include/idc/host_memory.h
  DESTINATION include/idc COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/idc-runtime COMPONENT runtime)
configure_file(${PROJECT_SOURCE_DIR}/runtime/idc.pc.in ${CMAKE_CURRENT_BINARY_DIR}/idc.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/idc.pc DESTINATION lib/pkgconfig COMPONENT runtime)

set(package lib/cmake/idc)
install(EXPORT idcTargets NAMESPACE idc:: DESTINATION ${package} COMPONENT runtime)
install(EXPORT idcCompilerTargets NAMESPACE idc:: DESTINATION ${package} COMPONENT compiler)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/idcConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/idcConfig.cmake
  INSTALL_DESTINATION ${package})
# Before 1.0 every minor version may change interfaces.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/idcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/idcConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/idcConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/IdcCompileLibrary.cmake DESTINATION ${package} COMPONENT runtime)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "the idc developers")
set(CPACK_PACKAGE_CONTACT "the idc developers") # there is no address to write to
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compiler of index-digit algorithms to GPU and CPU code")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL compiler python runtime)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPILER_PACKAGE_NAME idc)
set(CPACK_DEBIAN_COMPILER_PACKAGE_DEPENDS "idc-runtime (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME idc-runtime)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib) # libidc needs the runtime, named above
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-idc)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "idc (>= ${PROJECT_VERSION}), python3 (>= 3.9), python3-numpy")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Compiled index-digit algorithms on arrays in Python")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Runtime, headers and CMake package of libraries that idc generates")
set(CPACK_STRIP_FILES ON)
include(CPack)

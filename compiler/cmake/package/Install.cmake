# What `cmake --install` puts where: the tool, the runtime headers, the CMake package, a pkg-config
# file. Everything is found relative to what is installed beside it, so the tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/stencilgen")
set_target_properties(stencilgen_runtime PROPERTIES EXPORT_NAME runtime)
set_target_properties(stencilgen_emulator PROPERTIES EXPORT_NAME emulator)
install(TARGETS stencilgen stencilgen_runtime stencilgen_emulator EXPORT stencilgenTargets
  RUNTIME DESTINATION bin)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/runtime/include/stencilgen"
  DESTINATION include)
install(EXPORT stencilgenTargets NAMESPACE stencilgen:: DESTINATION "${package_dir}")

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/stencilgenConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/package/stencilgenConfig.cmake" INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/stencilgenConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/stencilgenConfig.cmake"
  "${PROJECT_BINARY_DIR}/package/stencilgenConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/StencilgenPrograms.cmake"
  DESTINATION "${package_dir}")

file(RELATIVE_PATH STENCILGEN_PC_TO_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" STENCILGEN_PC_TO_PREFIX "${STENCILGEN_PC_TO_PREFIX}")
configure_file("${CMAKE_CURRENT_LIST_DIR}/stencilgen.pc.in"
  "${PROJECT_BINARY_DIR}/package/stencilgen.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/stencilgen.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

# For people: what editors colour, the manual page and completions, made by the tool itself.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/grammar/editors"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/stencilgen")
foreach(text IN ITEMS
    "--man|${CMAKE_INSTALL_MANDIR}/man1/stencilgen.1"
    "--completion=bash|${CMAKE_INSTALL_DATADIR}/bash-completion/completions/stencilgen"
    "--completion=zsh|${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_stencilgen"
    "--completion=fish|${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d/stencilgen.fish")
  string(REGEX MATCH "^(.*)[|](.*)/(.*)$" matched "${text}")
  set(made "${PROJECT_BINARY_DIR}/package/${CMAKE_MATCH_2}")
  install(CODE "file(MAKE_DIRECTORY \"${made}\")
    execute_process(COMMAND \"$<TARGET_FILE:stencilgen>\" ${CMAKE_MATCH_1}
      OUTPUT_FILE \"${made}/${CMAKE_MATCH_3}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES "${made}/${CMAKE_MATCH_3}" DESTINATION "${CMAKE_MATCH_2}")
endforeach()

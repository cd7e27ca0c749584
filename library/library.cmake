# libnardy, static and shared, from the core files that know no Python:
#
#   cmake -S . -B build-library -DNARDY_LIBRARY=ON
#   cmake --build build-library
#   cmake --install build-library --prefix /usr/local
#
# Installed are the libraries, nardy.h, nardy.pc for pkg-config, and a package for find_package(nardy).
include(GNUInstallDirs)

set(library_folder "${CMAKE_CURRENT_SOURCE_DIR}/library")
file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/nardy_ai/__init__.py" version_line REGEX "^__version__ = ")
string(REGEX REPLACE "^__version__ = \"([0-9.]+).*$" "\\1" nardy_version "${version_line}")
# While the major version is 0 the minor one says what fits together.
string(REGEX REPLACE "^([0-9]+)\\.([0-9]+).*$" "\\1.\\2" nardy_soversion "${nardy_version}")

set(bare_sources ${core_sources})
list(FILTER bare_sources EXCLUDE REGEX "/(binding[a-z_]*|arrays)\\.c$")
file(GLOB library_sources CONFIGURE_DEPENDS "${library_folder}/*.c")

# Compiled once, for both kinds of library.
add_library(nardy_objects OBJECT ${bare_sources} ${library_sources})
nardy_compile(nardy_objects)
set_target_properties(nardy_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_compile_definitions(nardy_objects PRIVATE NARDY_BUILDING)
target_include_directories(nardy_objects PRIVATE "${library_folder}" "${CMAKE_CURRENT_SOURCE_DIR}/nardy_ai/core")

add_library(nardy_static STATIC $<TARGET_OBJECTS:nardy_objects>)
add_library(nardy SHARED $<TARGET_OBJECTS:nardy_objects>)
set_target_properties(nardy PROPERTIES VERSION ${nardy_version} SOVERSION ${nardy_soversion})
target_compile_definitions(nardy INTERFACE $<$<PLATFORM_ID:Windows>:NARDY_SHARED>)
if(NOT WIN32)
  # On Windows the name without _static is that of the DLL's import library.
  set_target_properties(nardy_static PROPERTIES OUTPUT_NAME nardy)
endif()
foreach(target nardy nardy_static)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${library_folder}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(UNIX)
    target_link_libraries(${target} PRIVATE m)
  endif()
  if(NARDY_SANITIZE)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endforeach()

add_executable(self_game examples/self_game.c)
target_link_libraries(self_game PRIVATE nardy)
set_target_properties(self_game PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)

configure_file("${library_folder}/nardy.pc.in" "${CMAKE_CURRENT_BINARY_DIR}/nardy.pc" @ONLY)
install(FILES "${library_folder}/nardy.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/nardy.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(TARGETS nardy nardy_static EXPORT nardy
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT nardy FILE nardy-config.cmake NAMESPACE nardy:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/nardy")

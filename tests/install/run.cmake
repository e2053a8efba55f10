# run(COMMAND...): runs it, and leaves what it printed in `output`. Fails with that if it fails.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${result}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# For configuring: whoever looks for one of these fails.
set(without_agent_packages
  -DCMAKE_DISABLE_FIND_PACKAGE_Protobuf=ON -DCMAKE_DISABLE_FIND_PACKAGE_Re2=ON
  -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)

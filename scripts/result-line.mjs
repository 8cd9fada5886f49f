// The last line of `npm test`. It must never look better than the run was.

/**
 * @param report vitest's JSON report; undefined if the run did not get that far
 * @param {readonly string[]} failedSteps names of the steps that failed
 * @returns `N passed, N failed`, and `, N skipped` if there are any. What failed without a failed test counts as one:
 *   a step, a test file that could not be loaded, an error outside of all tests.
 */
export function resultLine(report, failedSteps) {
  const passed = report?.numPassedTests ?? 0
  const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0)
  const files = report?.testResults ?? []
  const unloaded = files.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
  ).length
  const inTests = (report?.numFailedTests ?? 0) + unloaded
  const steps = failedSteps.filter((name) => name !== 'tests' || inTests === 0).length
  return `${passed} passed, ${inTests + steps} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/** The steps of a publish, and which fields belong to each. */

/** @typedef {import("./api.js").Problem} Problem */

export const STEPS = /** @type {const} */ (["table", "axes", "accuracy", "budget", "publish"]);

/** Which fields are asked for in which step: problems of later steps wait until they are reached. */
const FIELDS = {
  table: ["source", "where", "separator", "decimal", "encoding", "date_format"],
  axes: ["axes", "unit", "max_rows", "line_breaks", "neighbours", "measures", "share"],
  accuracy: ["mechanism", "workload", "rows"],
  budget: ["account", "epsilon", "cap", "about"],
  publish: [],
};

/** @param {Problem} problem */
export function stepOf(problem) {
  const first = problem.field.split(".")[0];
  return STEPS.find((step) => /** @type {readonly string[]} */ (FIELDS[step]).includes(first)) ?? "publish";
}

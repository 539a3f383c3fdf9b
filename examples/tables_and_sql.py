"""Tables from a release: views, groups, sums, averages and SQL, all with error bars and at no cost.

The steward publishes once; everything after the line of dashes needs the release file only.
"""

import numpy as np
import pandas as pd

import hushgram as hg

rng = np.random.default_rng(0)
people = pd.DataFrame(
    {
        "age": np.clip(rng.normal(42, 15, 20_000), 18, 90).astype(int),
        "sex": rng.choice(["F", "M"], 20_000),
        "city": rng.choice(["Aachen", "Bonn", "Celle"], 20_000, p=[0.5, 0.3, 0.2]),
    }
)
domain = hg.Domain(
    age=hg.Integer(18, 90),
    sex=hg.Category(["F", "M"]),
    city=hg.Category(["Aachen", "Bonn", "Celle"]),
)
hg.publish(people, domain, epsilon=1, account="people").save("people.hush.parquet")

# ------------------------------------------------------------------------------------------------

release = hg.load("people.hush.parquet")

print("Rows by city, with intervals that hold together:")
print(release.group_by("city", simultaneous=True))

print("\nThe three largest groups of ten years and sex:")
print(release.rollup(age=10).top(3, "age", "sex"))

adults = release.slice(age=(30, 60))
print("\nShares of the cities among people from 30 to 59:")
print(adults.group_by("city", share=True))

print("\nAverage age of women in Bonn:", release.average("age", sex="F", city="Bonn"))
print("The truth, which only the steward knows:",
      people.query("sex == 'F' and city == 'Bonn'")["age"].mean())  # fmt: skip

print("\nIn SQL, each row of the view stands for `count` rows:")
print(
    release.sql(
        "SELECT city, sum(count) AS rows, sum(age * count) / sum(count) AS age "
        "FROM release WHERE age BETWEEN 20 AND 30 GROUP BY city ORDER BY rows DESC"
    )
)

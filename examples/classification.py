"""A classifier from a release: who needs help, by age and living situation."""

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression

import hushgram as hg

rng = np.random.default_rng(1)
people = pd.DataFrame(
    {"age": rng.integers(60, 100, 20_000), "lives": rng.choice(["alone", "not"], 20_000)}
)
chance = 1 / (1 + np.exp(-(people["age"] - 80) / 4 - np.where(people["lives"] == "alone", 1, -1)))
people["help"] = np.where(rng.random(20_000) < chance, "yes", "no")
train, test = people[:15_000], people[15_000:]

domain = hg.Domain(
    age=hg.Regular(8, 60, 100), lives=hg.Category(["alone", "not"]), help=hg.Category(["no", "yes"])
)
release = hg.publish(train, domain, epsilon=0.5, account="people", mechanism="identity")

tree = hg.HistogramClassifier.from_release(release, target="help")
print(f"a tree on the release is right for {tree.score(test[['age', 'lives']], test['help']):.1%}")

X, y, weights = hg.weighted_rows(release, target="help")
model = LogisticRegression().fit(pd.get_dummies(X), y, sample_weight=weights)
right = model.score(pd.get_dummies(test[["age", "lives"]]), test["help"])
print(f"logistic regression on its weighted rows for {right:.1%}")

plain = hg.HistogramClassifier().fit(train[["age", "lives"]], train["help"])
print(f"ID3 on the table, not private, for {plain.score(test[['age', 'lives']], test['help']):.1%}")

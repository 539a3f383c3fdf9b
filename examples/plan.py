"""Many releases of one table by a plan: one charge, and a release per month under one bound."""

import numpy as np
import pandas as pd

import hushgram as hg

rng = np.random.default_rng(1)
orders = pd.DataFrame(
    {
        "customer": rng.integers(0, 5_000, 30_000),
        "amount": rng.gamma(2, 40, 30_000).round(2),
        "channel": rng.choice(["shop", "web"], 30_000),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 91, 30_000), unit="D"),
    }
)

plan = hg.Plan.from_toml(
    """
    epsilon = 1
    unit = "customer"
    max_rows = 8

    [[release]]
    name = "channels"
    axes = { channel = "shop,web", day = "2024-01-01..2024-03-31/1w" }
    share = "1/4"

    [[release]]
    name = "amounts"
    axes = { day = "2024-01-01..2024-03-31/1mo", amount = "0:500/100" }
    outside = { amount = "clamp" }
    per = "day"
    share = "3/4"
    """
)

print(f"The plan spends epsilon {plan.epsilon} in all, on {len(plan.outputs())} releases:")
releases = hg.publish_plan(orders, plan, account="orders", request="first quarter")
for name, release in releases.items():
    rows = f" ({release.where})" if release.where else ""
    print(f"  {name}{rows}: epsilon {release.epsilon}, {release.mechanism}, {release.count()}")

for month in ("2024-01", "2024-02", "2024-03"):
    print(f"Orders above 100 in {month}: {releases[f'amounts-{month}'].count(amount=(100, 500))}")

again = hg.publish_plan(orders, plan, account="orders", request="first quarter")
same = all(again[name].to_bytes() == releases[name].to_bytes() for name in releases)
account = hg.Ledger.open().account("orders")
print(f"Asked again: the same bytes ({same}); {account.spent} of {account.cap} is spent, once.")

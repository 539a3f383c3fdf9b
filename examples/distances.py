"""How far apart two releases, or two views of one, are: the latitudes of two countries' places."""

import hushgram as hg
from hushgram.data import places

lat = hg.Domain(lat=hg.Interval(20, 60), country=hg.Category(["DE", "US"]))
release = hg.publish(places(), lat, epsilon=1, account="places")
germany, states = (release.slice(country=[name]).project("lat") for name in ("DE", "US"))

print(f"On average a place would move by {hg.distance(germany, states):.1f} degrees of latitude;")
print(f"the shares diverge by {hg.distance(germany, states, 'kl'):.2f} nats,")
print(f"and absolute differences add up to {hg.distance(germany, states, 'l1'):,.0f} places.")

"""The stream of random numbers of test/oracles/draws.ts, mulberry32: equal seeds give equal numbers in both languages."""


class Draw:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        """From 0 below 1, in steps of 2 ** -32."""
        self.state = (self.state + 0x6D2B79F5) & 0xFFFFFFFF
        mixed = self.state
        mixed = ((mixed ^ mixed >> 15) * (mixed | 1)) & 0xFFFFFFFF
        mixed ^= (mixed + (mixed ^ mixed >> 7) * (mixed | 61)) & 0xFFFFFFFF
        return (mixed ^ mixed >> 14) / 4294967296

    def whole(self, low, high):
        return low + int(self.next() * (high - low + 1))

    def pick(self, choices):
        return choices[self.whole(0, len(choices) - 1)]

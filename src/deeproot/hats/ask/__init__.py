"""The hats of `research ask`: scope the question, gather evidence, decide whether it is enough, write the answer."""

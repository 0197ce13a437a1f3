"""Golden vectors: questions, written and drawn at random, and the answers that both implementations agreed on."""

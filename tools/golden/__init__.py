"""What both implementations must answer: questions, written and drawn, and the file of vectors that both agreed on."""

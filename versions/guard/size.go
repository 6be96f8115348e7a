package guard

// largeText is a size that people don't read before they accept it. The largest of 2,814 recorded contents of an agent's memory has
// 47 KB, the median 2 KB; 64 KiB are about 16,000 tokens, a large part of what an agent can take in.
const largeText = 64 << 10

// longRepetition is a number of equal letters, digits or blanks in a row that no prose, table or drawing has.
const longRepetition = 200

// size returns a finding for a large text, and one for each long repetition in it.
func size(text []byte) []Finding {
	var out []Finding
	if len(text) > largeText {
		out = append(out, Finding{Rule: "large-text", Kind: Size, Severity: Low, Why: "The text is larger than what a person reads before accepting it."})
	}
	for start := 0; start < len(text); {
		c := text[start]
		end := start + 1
		for end < len(text) && text[end] == c {
			end++
		}
		if end-start >= longRepetition {
			switch {
			case c == ' ' || c == '\t' || c == '\n':
				if end < len(text) {
					out = append(out, Finding{Rule: "padding", Kind: Size, Severity: Medium, Start: start, End: end, Why: "A long run of blanks moves what follows it out of sight."})
				}
			case c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
				out = append(out, Finding{Rule: "repetition", Kind: Size, Severity: Low, Start: start, End: end, Why: "One character is repeated many times: such a text fills an agent's context or hides the rest."})
			}
		}
		start = end
	}
	return out
}

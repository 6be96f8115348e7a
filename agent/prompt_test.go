package agent

import (
	"strings"
	"testing"
)

// CC7: the five parts, and where the summary is to stand.
func TestCC7_SummaryPromptAsksForFiveParts(t *testing.T) {
	for _, part := range []string{"1. The task", "2. Where it stands", "3. What was found out", "4. What comes next", "5. What must not get lost", "<summary>", "</summary>"} {
		if !strings.Contains(summaryPrompt, part) {
			t.Errorf("no %q", part)
		}
	}
}

func TestSystemPromptContainsProtocolStoresAndGuidance(t *testing.T) {
	for _, c := range []struct{ stores, guidance, want string }{
		{"", "", protocol},
		{"STORES\n", " Birds.\n", protocol + "\n\nSTORES\n\nWhat the person wants you to remember, and how:\n\nBirds."},
		{"STORES", " \n", protocol + "\n\nSTORES"},
	} {
		if got := systemPrompt(c.stores, c.guidance); got != c.want {
			t.Errorf("%q", got)
		}
	}
	for _, must := range []string{"View /memories", "may be cut", "in order", "Never store", "content, not orders"} {
		if !strings.Contains(protocol, must) {
			t.Errorf("the protocol does not say %q", must)
		}
	}
}

package script

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Conversation is one script. The requested model and the person's first prompt select it.
type Conversation struct {
	Name    string // letters, digits and dashes; unique
	Model   string // only for this model; empty: for any
	Prompts []Prompt
	Summary string // the text of a compaction; empty: a list of what was asked and done
}

// Prompt is a prompt of the person, and the turns that answer it.
type Prompt struct {
	// Text is a part of what the person types, ignoring case. An empty Text matches any prompt, but only the
	// conversation's prompt with the same number.
	Text  string
	Turns []Turn
}

// Play returns a conversation that answers any first prompt with these turns.
func Play(turns ...Turn) Conversation {
	return Conversation{Name: "script", Prompts: []Prompt{{Turns: turns}}}
}

// answers reports whether this entry of the script answers the person's n-th prompt.
func (c Conversation) answers(entry, n int, text string) bool {
	p := c.Prompts[entry]
	if p.Text == "" {
		return entry == n
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(p.Text))
}

// find returns the script's entry for a prompt: the one with the same number, otherwise the first with matching words; -1 if
// there is none.
func (c Conversation) find(n int, text string) int {
	if n < len(c.Prompts) && c.answers(n, n, text) {
		return n
	}
	for i := range c.Prompts {
		if c.answers(i, n, text) {
			return i
		}
	}
	return -1
}

// known returns the texts of the script's prompts.
func (c Conversation) known() (out []string) {
	for _, p := range c.Prompts {
		if p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return out
}

var nameForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9-]+$`)
})

func checkConversations(cs []Conversation) error {
	seen := map[string]bool{}
	for _, c := range cs {
		if !nameForm().MatchString(c.Name) || seen[c.Name] {
			return fmt.Errorf("script: conversation %q: a name must be unique and consist of letters, digits and dashes", c.Name)
		}
		seen[c.Name] = true
	}
	return nil
}

// choose finds the conversation for a model and a first prompt.
func (s *Server) choose(model, first string) Conversation {
	var byModel *Conversation
	for i, c := range s.o.Conversations {
		if c.Model != "" && c.Model != model {
			continue
		}
		if c.find(0, first) >= 0 {
			return c
		}
		if c.Model != "" && byModel == nil {
			byModel = &s.o.Conversations[i]
		}
	}
	if byModel != nil {
		return *byModel
	}
	return Conversation{Name: unknown}
}

func (s *Server) named(name string) Conversation {
	for _, c := range s.o.Conversations {
		if c.Name == name {
			return c
		}
	}
	return Conversation{Name: cmp.Or(name, unknown)}
}

// unknown is the name for prompts that no script answers.
const unknown = "none"

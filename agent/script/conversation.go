package script

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// Conversation is one script. Which one plays is told by the model that is asked, and
// by the person's first prompt.
type Conversation struct {
	Name    string // of letters, digits and dashes; unique
	Model   string // plays for this model alone; empty: for any
	Prompts []Prompt
	Summary string // what a compaction says; empty: what was asked and done
}

// Prompt is what the person asks, and the turns that answer.
type Prompt struct {
	// Text is a part of what the person types, in any case. Empty: any text, but only
	// as the conversation's prompt of this number.
	Text  string
	Turns []Turn
}

// Play is a conversation that answers any first prompt with these turns.
func Play(turns ...Turn) Conversation {
	return Conversation{Name: "script", Prompts: []Prompt{{Turns: turns}}}
}

// answers reports whether the n-th prompt of the person is this one.
func (c Conversation) answers(entry, n int, text string) bool {
	p := c.Prompts[entry]
	if p.Text == "" {
		return entry == n
	}
	return strings.Contains(strings.ToLower(text), strings.ToLower(p.Text))
}

// find is the prompt of the script that fits: the one that stands in the same place, or
// else the first with these words. -1: none.
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

// known are the prompts of the script that can be said in words.
func (c Conversation) known() (out []string) {
	for _, p := range c.Prompts {
		if p.Text != "" {
			out = append(out, p.Text)
		}
	}
	return out
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

func checkConversations(cs []Conversation) error {
	seen := map[string]bool{}
	for _, c := range cs {
		if !nameForm.MatchString(c.Name) || seen[c.Name] {
			return fmt.Errorf("script: conversation %q: a name is of letters, digits and dashes, and unique", c.Name)
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

// unknown is the conversation that no script is for.
const unknown = "none"

package script

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/memend/memend/agent"
)

// place is where a conversation stands in its script.
type place struct {
	name   string // of the conversation
	prompt int    // the person's last, from 0; -1: none yet
	entry  int    // of the script, that answers it; -1: none
	turn   int    // of the answer, from 0
	text   string // of the prompt, when the request has it
}

// String is the form in which a summary carries its place.
func (p place) String() string {
	return fmt.Sprintf("%s/%d/%d/%d", p.name, p.prompt, p.entry, p.turn)
}

var placeForm = regexp.MustCompile(`place in the script: ([A-Za-z0-9-]+)/(-?\d+)/(-?\d+)/(\d+)`)

func parsePlace(text string) (p place, ok bool) {
	all := placeForm.FindAllStringSubmatch(text, -1)
	if all == nil {
		return p, false
	}
	m := all[len(all)-1]
	p.name = m[1]
	p.prompt, _ = strconv.Atoi(m[2])
	p.entry, _ = strconv.Atoi(m[3])
	p.turn, _ = strconv.Atoi(m[4])
	return p, true
}

// locate finds the place of a conversation by its messages alone. A turn is a message of
// the assistant that is more than a summary.
func (s *Server) locate(model string, messages []agent.Message) (place, Conversation) {
	at := place{prompt: -1, entry: -1}
	var c Conversation
	for _, m := range messages {
		if m.Role == "assistant" {
			said := false
			for _, b := range m.Content {
				if p, ok := placeOf(b); ok {
					at, c = p, s.named(p.name)
				} else {
					said = said || b.Type != agent.TypeCompaction
				}
			}
			if said {
				at.turn++
			}
			continue
		}
		for _, text := range texts(m) {
			if p, ok := parsePlace(text); ok {
				at, c = p, s.named(p.name)
				continue
			}
			if c.Name == "" {
				c = s.choose(model, text)
			}
			at = place{name: c.Name, prompt: at.prompt + 1, text: text}
			at.entry = c.find(at.prompt, text)
		}
	}
	if c.Name == "" {
		c = s.choose(model, "")
		at.name = c.Name
	}
	return at, c
}

// texts is what a person says in a message: each a prompt, because one that was stopped
// before the model said anything stands beside the next; and the summary that stands for
// what was before.
func texts(m agent.Message) (out []string) {
	for _, b := range m.Content {
		if b.Type == agent.TypeText {
			out = append(out, strings.TrimSpace(b.Text))
		}
	}
	return out
}

// seal is the opaque part of a summary that the API made.
func (p place) seal() string {
	return base64.StdEncoding.EncodeToString([]byte("place in the script: " + p.String()))
}

// placeOf reads the place of a summary.
func placeOf(b agent.Block) (place, bool) {
	if b.Type != agent.TypeCompaction {
		return place{}, false
	}
	var f struct {
		Encrypted string `json:"encrypted_content"`
	}
	_ = json.Unmarshal(b.Raw(), &f)
	raw, err := base64.StdEncoding.DecodeString(f.Encrypted)
	if err != nil {
		return place{}, false
	}
	return parsePlace(string(raw))
}

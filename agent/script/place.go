package script

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/memend/memend/agent"
)

// place is the position of a conversation in its script.
type place struct {
	name   string // of the conversation
	prompt int    // index of the person's last prompt; -1: none yet
	entry  int    // index of the script's entry that answers it; -1: none
	turn   int    // index of the answer's turn
	text   string // of the prompt, if the request contains it
}

// String returns the form in which a summary contains its place.
func (p place) String() string {
	return fmt.Sprintf("%s/%d/%d/%d", p.name, p.prompt, p.entry, p.turn)
}

var placeForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`place in the script: ([A-Za-z0-9-]+)/(-?\d+)/(-?\d+)/(\d+)`)
})

func parsePlace(text string) (p place, ok bool) {
	all := placeForm().FindAllStringSubmatch(text, -1)
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

// locate determines the place of a conversation from its messages alone. A turn is an assistant message with more than a
// summary.
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

// texts returns the texts of a user message: each is a prompt, because one that was stopped before the model answered is combined
// with the next; a text may also be a summary of what came before.
func texts(m agent.Message) (out []string) {
	for _, b := range m.Content {
		if b.Type == agent.TypeText {
			out = append(out, strings.TrimSpace(b.Text))
		}
	}
	return out
}

// seal returns the opaque part of a summary that the API made.
func (p place) seal() string {
	return base64.StdEncoding.EncodeToString([]byte("place in the script: " + p.String()))
}

// placeOf decodes the place of a summary.
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

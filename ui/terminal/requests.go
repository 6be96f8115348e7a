package terminal

import (
	"strings"
	"sync"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// replyTime is how long a terminal may take to respond, also over a slow line.
const replyTime = time.Second

// requests collects what is written besides frames: questions to the terminal and texts for
// its clipboard. They are sent with the next frame, so that no sequence is inserted into
// another.
type requests struct {
	mu   sync.Mutex
	b    []byte
	last time.Time
}

// Write never fails.
func (a *requests) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.b = append(a.b, b...)
	a.last = time.Now()
	return len(b), nil
}

// take moves the collected bytes to the end of dst.
func (a *requests) take(dst []byte) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	dst = append(dst, a.b...)
	a.b = a.b[:0]
	return dst
}

// awaitsReply reports whether the response to a question may still arrive.
func (a *requests) awaitsReply() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Since(a.last) < replyTime
}

// questions asks how well keys can be distinguished and, if the response is certain to
// arrive, whether the terminal supports synchronized frames and grapheme clusters.
func questions(env []string) string {
	if !trusted(uv.Environ(env)) {
		return ansi.RequestKittyKeyboard
	}
	return ansi.RequestKittyKeyboard + ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore
}

// trusted is Bubble Tea's rule: not over the network, and not Apple's terminal, which
// displays the question; but these terminals always.
func trusted(env uv.Environ) bool {
	for _, name := range []string{"ghostty", "wezterm", "alacritty", "kitty", "rio"} {
		if strings.Contains(env.Getenv("TERM"), name) {
			return true
		}
	}
	if _, ok := env.LookupEnv("WT_SESSION"); ok {
		return true
	}
	_, far := env.LookupEnv("SSH_TTY")
	return !far && !strings.Contains(env.Getenv("TERM_PROGRAM"), "Apple")
}

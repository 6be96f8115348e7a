package terminal

import (
	"strings"
	"sync"
	"time"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// asking collects what is to be written beside frames: questions to the terminal
// and texts for its clipboard. They go out with the next frame, so that no
// sequence ends up within another.
type asking struct {
	mu   sync.Mutex
	b    []byte
	last time.Time
}

// Write never fails.
func (a *asking) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.b = append(a.b, b...)
	a.last = time.Now()
	return len(b), nil
}

// take moves what was collected to the end of dst.
func (a *asking) take(dst []byte) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	dst = append(dst, a.b...)
	a.b = a.b[:0]
	return dst
}

// lately reports whether the answer to a question may still be on its way.
func (a *asking) lately() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return time.Since(a.last) < time.Second
}

// questions asks how far keys can be told apart and, where the answer can be
// trusted to come back, whether frames are shown whole and columns counted by
// character.
func questions(env []string) string {
	if !trusted(uv.Environ(env)) {
		return ansi.RequestKittyKeyboard
	}
	return ansi.RequestKittyKeyboard + ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore
}

// trusted is Bubble Tea's rule: no connection over the network, and not Apple's
// terminal, which shows the question; but these terminals anywhere.
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

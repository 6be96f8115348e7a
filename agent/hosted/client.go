package hosted

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/memend/memend/agent/outbound"
	"github.com/memend/memend/versions"
)

const (
	defaultURL = "https://api.anthropic.com"
	keyEnv     = "MEMEND_API_KEY"

	answerTimeout = 30 * time.Second
	maxAnswer     = 64 << 20 // bytes of one response
)

// Service is a server of the memory-stores API and the client for it.
type Service struct {
	sdk   anthropic.Client
	url   string
	own   bool // the SDK's default service
	now   func() time.Time
	sleep sleepFunc
}

// silenceStdLog silences the standard logger, to which the SDK writes about the environment: its
// output would appear on the screen.
var silenceStdLog = sync.OnceFunc(func() { log.SetOutput(io.Discard) })

// New returns a client for the service at a base URL; an empty one is the SDK's default. It sends
// nothing, so missing credentials are reported by the first request.
func New(base string) (*Service, error) {
	silenceStdLog()
	at, err := baseURL(base)
	if err != nil {
		return nil, err
	}
	opts := []option.RequestOption{
		option.WithMaxRetries(0), option.WithRequestTimeout(answerTimeout), option.WithHTTPClient(&http.Client{Transport: outbound.Transport(http.DefaultTransport, maxAnswer)}),
	}
	sdks, err := baseURL("")
	own := err == nil && sdks == at
	if own {
		opts = append(opts, option.WithBaseURL(at))
	} else {
		key := keyFor(at)
		if key == "" {
			key = "none"
		}
		opts = append(opts, option.WithoutEnvironmentDefaults(), option.WithBaseURL(at), option.WithAPIKey(key))
	}
	return &Service{sdk: anthropic.NewClient(opts...), url: at, own: own, now: time.Now, sleep: sleep}, nil
}

// Dial connects to the service of a hosted store. It is the value for versions.Options.
func Dial(info versions.StoreInfo) (versions.Upstream, error) {
	s, err := New(info.Upstream.URL)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", info.Name, err)
	}
	return s.Store(info.Upstream.Store), nil
}

// keyFor returns the part of $MEMEND_API_KEY for the service at a base URL. The keys are separated
// by spaces and each is for one host, https://host=KEY; one without a host is for services on this
// machine, like "memend serve".
func keyFor(at string) string {
	to, err := url.Parse(at)
	if err != nil {
		return ""
	}
	for _, entry := range strings.Fields(os.Getenv(keyEnv)) {
		if !strings.HasPrefix(entry, "https://") && !strings.HasPrefix(entry, "http://") {
			if outbound.Loopback(to) {
				return entry
			}
			continue
		}
		base, key, _ := strings.Cut(entry, "=")
		if u, err := url.Parse(base); err == nil && u.Scheme == to.Scheme && strings.EqualFold(u.Host, to.Host) {
			return key
		}
	}
	return ""
}

// URL returns the base URL.
func (s *Service) URL() string { return s.url }

// baseURL normalises a base URL for storing: without credentials, query or final slash.
func baseURL(base string) (string, error) {
	if base == "" {
		base = os.Getenv("ANTHROPIC_BASE_URL")
	}
	if base == "" {
		base = defaultURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%w: %q is not the URL of a service; write it like %s", versions.ErrInvalid, base, defaultURL)
	}
	if u.User != nil {
		return "", fmt.Errorf("%w: the URL of a service is stored, so it must not contain a password; set $%s", versions.ErrInvalid, keyEnv)
	}
	u.RawQuery, u.Fragment = "", ""
	return strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/v1"), nil
}

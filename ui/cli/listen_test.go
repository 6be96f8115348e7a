package cli

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A request in progress when the server is asked to end is finished; a request whose body is
// incomplete is cut off at once.
func TestShutdownFinishesRequestsAndCutsBodies(t *testing.T) {
	t.Parallel()
	begun, release := make(chan string, 2), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- r.URL.Path
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		<-release
		fmt.Fprint(w, "done")
	})
	p := newProgram(console{err: io.Discard})
	d := &door{log: slog.New(slog.DiscardHandler)}
	s, err := listen(t.Context(), &p.console, d, &listenFlags{address: "127.0.0.1:0"}, handler)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.answer(ctx, d) }()
	type answer struct {
		text string
		err  error
	}
	whole := make(chan answer, 1)
	go func() {
		res, err := http.Post(s.url+"/whole", "text/plain", strings.NewReader("all of it"))
		if err != nil {
			whole <- answer{"", err}
			return
		}
		b, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		whole <- answer{string(b), err}
	}()
	<-begun
	half, err := net.Dial("tcp", s.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = half.Close() }()
	fmt.Fprint(half, "POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nbegun")
	<-begun
	end()
	if line, err := bufio.NewReader(half).ReadString('\n'); err == nil && !strings.Contains(line, "400") {
		t.Errorf("half a request is answered %q", line)
	}
	close(release) // only now: the end of one did not depend on the other
	if a := <-whole; a.err != nil || a.text != "done" {
		t.Errorf("%+v", a)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// certificate writes a certificate for this machine, and its key.
func certificate(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	priv, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, about, about, &priv.PublicKey, priv)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(priv)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	roots = x509.NewCertPool()
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	roots.AppendCertsFromPEM(public)
	err = errors.Join(os.WriteFile(cert, public, 0o600), os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return cert, key, roots
}

func TestAServerWithACertificateSpeaksHTTPS(t *testing.T) {
	t.Parallel()
	cert, key, roots := certificate(t)
	l := &listenFlags{flag: "--listen", address: "0.0.0.0:0", cert: cert, key: key}
	if local, err := l.check("memend serve"); err != nil || local {
		t.Fatal(local, err)
	}
	d := &door{log: slog.New(slog.DiscardHandler)}
	s, err := listen(t.Context(), &console{err: io.Discard}, d, l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") }))
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.answer(ctx, d) }()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
	res, err := client.Get(s.url)
	if err != nil || !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Fatal(s.url, err)
	}
	if b, err := io.ReadAll(res.Body); err != nil || string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
	_ = res.Body.Close()
	if res, err := http.Get("http" + strings.TrimPrefix(s.url, "https")); err == nil {
		if _ = res.Body.Close(); res.StatusCode == http.StatusOK {
			t.Error("it answers without encryption")
		}
	}
	client.CloseIdleConnections()
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

package rpctest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An Authority signs certificates for a test.
type Authority struct {
	t    testing.TB
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

// NewAuthority returns a new CA.
func NewAuthority(t testing.TB) *Authority {
	t.Helper()
	a := &Authority{t: t, key: newKey(t)}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "an authority of a test"},
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.cert = a.sign(template, template, &a.key.PublicKey)
	return a
}

// Pool returns the authority as a trusted one.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// File writes the authority's certificate into a temporary folder of the test and returns its path.
func (a *Authority) File() string { return write(a.t, "ca.pem", "CERTIFICATE", a.cert.Raw) }

// Issue returns a valid certificate for host names and addresses.
func (a *Authority) Issue(hosts ...string) tls.Certificate {
	return a.issue(time.Now().Add(time.Hour), hosts)
}

// Files writes a valid certificate for hosts, and its key, into files and returns their paths.
func (a *Authority) Files(hosts ...string) (cert, key string) { return a.write(a.Issue(hosts...)) }

// Expired writes an expired certificate for hosts, and its key, into files and returns their paths.
func (a *Authority) Expired(hosts ...string) (cert, key string) {
	return a.write(a.issue(time.Now().Add(-time.Minute), hosts))
}

// issue returns a certificate for hosts, which are names or addresses, that expires at until.
func (a *Authority) issue(until time.Time, hosts []string) tls.Certificate {
	key := newKey(a.t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "an agent of a test"},
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  until, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	leaf := a.sign(template, a.cert, &key.PublicKey)
	return tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}
}

// write stores a certificate and its key in the test's temporary folder and returns the paths.
func (a *Authority) write(c tls.Certificate) (cert, key string) {
	raw, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		a.t.Fatal(err)
	}
	return write(a.t, "cert.pem", "CERTIFICATE", c.Leaf.Raw), write(a.t, "key.pem", "PRIVATE KEY", raw)
}

// sign returns a certificate signed with the authority's key.
func (a *Authority) sign(template, parent *x509.Certificate, key *ecdsa.PublicKey) *x509.Certificate {
	a.t.Helper()
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, key, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert
}

// newKey returns a new key, of the kind that is fastest to generate.
func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// write stores one PEM block in a file of the test's temporary folder, and returns its path.
func write(t testing.TB, name, kind string, raw []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

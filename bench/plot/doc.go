// Package plot draws lines over a logarithmic axis as SVG, for the guide. Pure: figures in, text out.
//
//	[]Panel ─▶ Draw ─▶ <svg>, panels side by side, in the colours of the reader's page
package plot

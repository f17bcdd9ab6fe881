// Package grid reads the position of any game as a board of cells, draws it as text, and finds what its moves number.
package grid

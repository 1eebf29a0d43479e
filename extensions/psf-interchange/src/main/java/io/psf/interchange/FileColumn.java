package io.psf.interchange;

import java.io.IOException;

/** Numbers in a file, row by row, which may be read several times. */
interface FileColumn {
    /** Begins to read them. */
    NumberReader open() throws IOException;
}

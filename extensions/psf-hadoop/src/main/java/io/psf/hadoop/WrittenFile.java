package io.psf.hadoop;

import io.psf.api.spi.CheckpointStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/** A file that is being written. Used by one thread at a time. */
final class WrittenFile implements CheckpointStore.NewFile {
    private static final int PIECE = 1 << 16;

    private final FileSystem files;
    private final Path path;
    private final FSDataOutputStream out;
    private boolean open = true;

    WrittenFile(FileSystem files, Path path, FSDataOutputStream out) {
        this.files = files;
        this.path = path;
        this.out = out;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        int length = bytes.remaining();
        if (bytes.hasArray()) {
            out.write(bytes.array(), bytes.arrayOffset() + bytes.position(), length);
            bytes.position(bytes.limit());
            return length;
        }
        byte[] piece = new byte[Math.min(length, PIECE)];
        while (bytes.hasRemaining()) {
            int n = Math.min(piece.length, bytes.remaining());
            bytes.get(piece, 0, n);
            out.write(piece, 0, n);
        }
        return length;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void end() {
        // the rest is sent when the file is finished
    }

    @Override
    public void finish() throws IOException {
        if (out.hasCapability(StreamCapabilities.HSYNC)) {
            out.hsync();
        }
        out.close();
        open = false;
    }

    /** Gives the file up unless it is finished: an upload is aborted, since closing it would complete it. */
    @Override
    public void close() throws IOException {
        if (!open) {
            return;
        }
        open = false;
        try {
            if (out.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
                var unused = out.abort();
            } else {
                out.close();
            }
        } finally {
            deleteAfterFailure(files, path);
        }
    }

    static void deleteAfterFailure(FileSystem files, Path path) {
        try {
            var unused = files.delete(path, false);
        } catch (IOException e) {
            return; // the caller gets the failure of the write instead
        }
    }
}

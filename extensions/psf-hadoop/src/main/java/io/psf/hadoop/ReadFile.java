package io.psf.hadoop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.SeekableByteChannel;
import org.apache.hadoop.fs.FSDataInputStream;

/** A file that is read. Used by one thread at a time. */
final class ReadFile implements SeekableByteChannel {
    private static final int PIECE = 1 << 16;

    private final FSDataInputStream in;
    private final long size;
    private boolean open = true;

    ReadFile(FSDataInputStream in, long size) {
        this.in = in;
        this.size = size;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        if (in.getPos() >= size) {
            return into.hasRemaining() ? -1 : 0;
        }
        if (into.hasArray()) {
            int n = in.read(into.array(), into.arrayOffset() + into.position(), into.remaining());
            into.position(into.position() + Math.max(0, n));
            return n;
        }
        byte[] piece = new byte[Math.min(into.remaining(), PIECE)];
        int n = in.read(piece, 0, piece.length);
        into.put(piece, 0, Math.max(0, n));
        return n;
    }

    @Override
    public long position() throws IOException {
        return in.getPos();
    }

    @Override
    public SeekableByteChannel position(long position) throws IOException {
        in.seek(Math.min(position, size));
        return this;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public int write(ByteBuffer from) {
        throw new NonWritableChannelException();
    }

    @Override
    public SeekableByteChannel truncate(long length) {
        throw new NonWritableChannelException();
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public void close() throws IOException {
        open = false;
        in.close();
    }
}

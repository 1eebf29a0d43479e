package io.psf.runtime.store;

import io.psf.api.PsException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Room in a mapped file, whose blocks are taken piece by piece. The file is closed once nobody can reach the room. */
final class MappedRoom implements Room {
    /** The least that is taken at once; from eight times as much on, an eighth of what there is. */
    private static final int STEP = 1 << 18;

    private final String name;
    private final FileChannel channel;
    private final ByteBuffer bytes;
    private final Disk disk;
    private int taken;

    MappedRoom(String name, FileChannel channel, ByteBuffer bytes, Disk disk) {
        this.name = name;
        this.channel = channel;
        this.bytes = bytes;
        this.disk = disk;
    }

    @Override
    public ByteBuffer bytes() {
        return bytes;
    }

    @Override
    public int take(int wanted) {
        if (wanted <= taken) {
            return taken;
        }
        long ahead = Math.max(wanted, (long) taken + Math.max(STEP, taken / 8));
        int most = (int) Math.min(bytes.capacity(), ahead);
        try {
            disk.take(channel, name, taken, most);
            taken = most;
        } catch (PsException e) {
            if (most == wanted) {
                throw e;
            }
            disk.take(channel, name, taken, wanted); // there may be space for what is needed now
            taken = wanted;
        }
        return taken;
    }
}

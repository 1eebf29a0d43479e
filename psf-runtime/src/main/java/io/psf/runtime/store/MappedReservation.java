package io.psf.runtime.store;

import io.psf.api.PsException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Capacity in a mapped file whose blocks are allocated step by step. The file is closed once the object is unreachable.
 */
final class MappedReservation implements Reservation {
    /**
     * The minimum number of bytes that are allocated at once. Above eight times this value, an eighth of the allocated
     * size is allocated at once.
     */
    private static final int STEP = 1 << 18;

    private final String name;
    private final FileChannel channel;
    private final ByteBuffer bytes;
    private final AccountEntry entry;
    private final Disk disk;
    private int taken;

    MappedReservation(String name, FileChannel channel, ByteBuffer bytes, AccountEntry entry, Disk disk) {
        this.name = name;
        this.channel = channel;
        this.bytes = bytes;
        this.entry = entry;
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
            disk.take(channel, name, taken, wanted); // the disk may have space for the bytes that are needed now
            taken = wanted;
        }
        return taken;
    }

    @Override
    public void giveUp(long used) {
        entry.giveUp(taken);
    }
}

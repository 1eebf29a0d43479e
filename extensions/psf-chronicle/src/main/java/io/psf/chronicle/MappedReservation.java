package io.psf.chronicle;

import io.psf.api.PsException;
import io.psf.runtime.spi.store.AccountEntry;
import io.psf.runtime.spi.store.MemoryAccount;
import io.psf.runtime.spi.store.Reservation;
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
    private final MappedRows rows;
    private final MemoryAccount account;
    private final AccountEntry entry;
    private final Disk disk;
    private int taken;

    MappedReservation(
            String name, FileChannel channel, ByteBuffer bytes, MappedRows rows, MemoryAccount account, Disk disk) {
        this.name = name;
        this.channel = channel;
        this.bytes = bytes;
        this.rows = rows;
        this.account = account;
        this.entry = account.add(bytes, 0, () -> {});
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
            allocate(most);
        } catch (PsException e) {
            if (most == wanted) {
                throw e;
            }
            allocate(wanted); // the disk may have space for the bytes that are needed now
        }
        return taken;
    }

    private void allocate(int end) {
        disk.take(channel, name, taken, end);
        account.claim(name, end - taken);
        entry.grow(end - taken);
        taken = end;
    }

    @Override
    public void loadRows(int[] numbers, int first, int n, int bytesOfRow) {
        rows.load(numbers, first, n, bytesOfRow);
    }

    @Override
    public void loadRange(int begin, int end) {
        rows.load(begin, end);
    }

    @Override
    public void giveUp(long used) {
        entry.giveUp(taken);
    }
}

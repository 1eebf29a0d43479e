package io.psf.chronicle;

import com.sun.management.OperatingSystemMXBean;
import io.psf.api.PsException;
import io.psf.api.spi.MemoryUse;
import io.psf.api.spi.OwnerFiles;
import io.psf.runtime.spi.store.AccountEntry;
import io.psf.runtime.spi.store.Allocation;
import io.psf.runtime.spi.store.MemoryAccount;
import io.psf.runtime.spi.store.Reservation;
import io.psf.runtime.spi.store.Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Memory that is mapped to files, for tables larger than the machine's memory. The files are scratch files. They are
 * created anew, and deleted at once if the system permits the deletion of files in use, else when the store is closed.
 * Their blocks are allocated when memory is allocated, or as capacity is taken, by writing zeros once. The creation of
 * a shard takes that much longer, and a full disk is an error of that call and not a fault in a later one.
 */
final class MappedStore implements Store {
    private final Path directory;
    private final Disk disk;
    private final MemoryAccount account = new MemoryAccount();
    private final PageLoader loader;
    private final AtomicLong made = new AtomicLong();
    /** The files that could not be deleted yet. */
    private final Queue<Path> files = new ConcurrentLinkedQueue<>();

    /** Creates a store of files in a new directory of its own below the given one. */
    MappedStore(Path below) {
        try {
            OwnerFiles.createDirectories(below);
            this.directory = Files.createTempDirectory(below, "psf-");
            this.disk = Disk.of(directory);
            this.loader = new PageLoader(account, memory());
        } catch (IOException e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "directory for mapped shards: " + below + ", " + e
                            + " (expected: one that this server can create and write)",
                    e);
        }
    }

    /**
     * Creates a store on a test's disk.
     *
     * @param memory the bytes of memory of the machine or container
     */
    MappedStore(Path directory, Disk disk, long memory) {
        this.directory = directory;
        this.disk = disk;
        this.loader = new PageLoader(account, memory);
    }

    private static long memory() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    }

    /** Checks that the disk has space for all of it. The files that follow take it. */
    @Override
    public void promise(String what, long bytes) {
        try {
            disk.require(what, bytes);
        } catch (IOException e) {
            throw failure(what, bytes, e);
        }
    }

    /**
     * Allocates all blocks on the disk before mapping the file: a page without a block is a fault of the whole process.
     */
    @Override
    public Allocation allocate(String name, int bytes) {
        Path file = file(name);
        try (FileChannel channel = open(file)) {
            disk.take(channel, name, 0, bytes);
            MappedByteBuffer memory = map(channel, bytes);
            return new Mapped(memory, new MappedRows(memory, loader), account.add(memory, bytes, () -> {}));
        } catch (IOException e) {
            throw failure(name, bytes, e);
        } finally {
            deleteNowOrLater(file);
        }
    }

    /** A mapped file. It is unmapped once it is unreachable: the JDK offers no way to unmap it before. */
    private record Mapped(ByteBuffer bytes, MappedRows rows, AccountEntry entry) implements Allocation {
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
            entry.giveUp(bytes.capacity());
        }
    }

    /** Maps a file that has no blocks yet. The file stays open so that blocks can be allocated later. */
    @Override
    public Reservation reserve(String name, int bytes) {
        Path file = file(name);
        FileChannel channel = null;
        try {
            channel = open(file);
            MappedByteBuffer memory = map(channel, bytes);
            MappedRows rows = new MappedRows(memory, loader);
            return new MappedReservation(name, channel, memory, rows, account, disk);
        } catch (IOException e) {
            close(channel);
            throw failure(name, bytes, e);
        } finally {
            deleteNowOrLater(file);
        }
    }

    @Override
    public MemoryUse use() {
        return account.use();
    }

    private Path file(String name) {
        return directory.resolve(name.replaceAll("[^A-Za-z0-9_.-]", "_") + "-" + made.incrementAndGet() + ".floats");
    }

    private static FileChannel open(Path file) throws IOException {
        return OwnerFiles.createNew(file, StandardOpenOption.READ);
    }

    private static MappedByteBuffer map(FileChannel channel, int bytes) throws IOException {
        MappedByteBuffer memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
        memory.order(ByteOrder.LITTLE_ENDIAN);
        return memory;
    }

    private static void close(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            return; // the caller reports the original failure
        }
    }

    private PsException failure(String name, long bytes, IOException e) {
        return new PsException(
                PsException.Code.RESOURCE_EXHAUSTED, bytes + " bytes in " + directory + " for " + name + ": " + e, e);
    }

    /**
     * Deletes a file now, or when the store is closed. A file that can be deleted while in use lives as long as its
     * memory, and no longer than this process.
     */
    private void deleteNowOrLater(Path file) {
        try {
            Files.delete(file);
        } catch (IOException e) {
            files.add(file);
        }
    }

    @Override
    public void close() {
        account.close();
        loader.close();
        try {
            for (Path file = files.poll(); file != null; file = files.poll()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}

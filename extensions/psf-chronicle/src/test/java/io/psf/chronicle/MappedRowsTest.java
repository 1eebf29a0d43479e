package io.psf.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.psf.runtime.spi.store.Allocation;
import io.psf.runtime.spi.store.MemoryAccount;
import io.psf.runtime.spi.store.Reservation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rows that are on the disk alone. The system drops the pages of a file that nobody has accessed through the mapping.
 */
final class MappedRowsTest {
    private static final int BYTES_OF_ROW = 1000; // rows that begin in one page and end in the next, too
    private static final int ROWS = 1 << 15;

    @TempDir
    Path directory;

    private final MemoryAccount account = new MemoryAccount();

    /** Maps a file whose row i has the number i at its end. */
    private MappedByteBuffer file() throws IOException {
        ByteBuffer content = ByteBuffer.allocate(ROWS * BYTES_OF_ROW).order(ByteOrder.LITTLE_ENDIAN);
        for (int row = 0; row < ROWS; row++) {
            content.putInt((row + 1) * BYTES_OF_ROW - Integer.BYTES, row);
        }
        Path file = Files.write(directory.resolve("rows"), content.array());
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.force(true);
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
            mapped.order(ByteOrder.LITTLE_ENDIAN);
            account.add(mapped, mapped.capacity(), () -> {});
            return mapped;
        }
    }

    /** Drops the file's pages from the memory, as far as the system permits. */
    private void drop() throws IOException, InterruptedException {
        Process dd;
        try {
            dd = new ProcessBuilder("dd", "if=" + directory.resolve("rows"), "iflag=nocache", "count=0")
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            return; // the assumption of the test fails
        }
        dd.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
        assertThat(dd.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    private static boolean isInMemory(MappedByteBuffer bytes, int row) {
        return bytes.slice(row * BYTES_OF_ROW, BYTES_OF_ROW).isLoaded();
    }

    private static int[] random(long seed, int n) {
        return new Random(seed).ints(n, 0, ROWS).toArray();
    }

    @Test
    void rowsOnTheDiskAreInMemoryAfterwards() throws Exception {
        MappedByteBuffer bytes = file();
        drop();
        int[] rows = random(1, 500);
        rows[100] = -1;
        rows[101] = ROWS - 1;
        assumeThat(Arrays.stream(rows).filter(row -> row >= 0).filter(row -> isInMemory(bytes, row)))
                .isEmpty();
        try (PageLoader loader = new PageLoader(account, 1)) {
            new MappedRows(bytes, loader).load(rows, 10, 480, BYTES_OF_ROW);
        }
        for (int i = 10; i < 490; i++) {
            assertThat(rows[i] < 0 || isInMemory(bytes, rows[i]))
                    .as("row %d", rows[i])
                    .isTrue();
        }
        for (int row : rows) {
            assertThat(row < 0 ? row : bytes.getInt((row + 1) * BYTES_OF_ROW - Integer.BYTES))
                    .isEqualTo(row);
        }
    }

    @Test
    void noRowIsLoadedWhileTheFilesTakeHalfOfTheMemory() throws Exception {
        MappedByteBuffer bytes = file();
        drop();
        int[] rows = random(2, 500);
        assumeThat(Arrays.stream(rows).filter(row -> isInMemory(bytes, row))).isEmpty();
        try (PageLoader loader = new PageLoader(account, 2 * account.allocated())) {
            new MappedRows(bytes, loader).load(rows, 0, 500, BYTES_OF_ROW);
        }
        assertThat(Arrays.stream(rows).filter(row -> isInMemory(bytes, row))).isEmpty();
    }

    /** Without advice, no row of these calls is accessed, so that the system can drop them. */
    @Test
    void rowsThatTheSystemDropsAfterALongTimeInMemoryAreFoundBySamples() throws Exception {
        MappedByteBuffer bytes = file();
        int[] rows = random(3, 1000);
        try (PageLoader loader = new PageLoader(account, 1)) {
            MappedRows mapped = new MappedRows(bytes, loader);
            for (int call = 0; call < 100; call++) {
                mapped.load(rows, 0, rows.length, BYTES_OF_ROW);
            }
            drop();
            assumeThat(Arrays.stream(rows).filter(row -> isInMemory(bytes, row)))
                    .isEmpty();
            mapped.load(rows, 0, rows.length, BYTES_OF_ROW);
            assertThat(Arrays.stream(rows).allMatch(row -> isInMemory(bytes, row)))
                    .isTrue();
        }
    }

    @Test
    void aRangeThatIsReadInOrderIsInMemoryAfterwards() throws Exception {
        MappedByteBuffer bytes = file();
        try (PageLoader loader = new PageLoader(account, 1)) {
            MappedRows mapped = new MappedRows(bytes, loader);
            mapped.load(new int[] {0}, 0, 1, BYTES_OF_ROW); // asks for the advice
            drop();
            assumeThat(bytes.slice(BYTES_OF_ROW * 100, 1 << 20).isLoaded()).isFalse();
            mapped.load(100 * BYTES_OF_ROW, 3000 * BYTES_OF_ROW);
            assertThat(Runtime.version().feature() < 22
                            || bytes.slice(100 * BYTES_OF_ROW, 2900 * BYTES_OF_ROW)
                                    .isLoaded())
                    .isTrue();
            mapped.load(0, 0);
        }
    }

    @Test
    void theSystemTakesTheAdviceFromJdk22On() throws Exception {
        MappedByteBuffer bytes = file();
        assumeThat(System.getProperty("os.name")).isEqualTo("Linux");
        assumeThat(Runtime.version().feature()).isNotIn(19, 20, 21); // they have the functions as a preview
        assertThat(Advice.random(ChronicleMemory.address(bytes), bytes.capacity()))
                .isEqualTo(Runtime.version().feature() >= 22);
        assertThat(Advice.random(ChronicleMemory.address(bytes) + 1, 4096))
                .as("of an address that is none of a page")
                .isFalse();
    }

    /**
     * Several lanes load and write rows of their own at once, in a store that has no memory left, and after its end.
     */
    @Test
    void valuesStayExact() throws Exception {
        MappedStore store = new MappedStore(directory, Disk.of(directory), 1);
        ExecutorService lanes = Executors.newFixedThreadPool(4);
        List<Future<?>> ends = new ArrayList<>();
        for (int lane = 0; lane < 4; lane++) {
            Reservation growing = store.reserve("lane." + lane, 2 * ROWS * BYTES_OF_ROW);
            assertThat(growing.take(ROWS * BYTES_OF_ROW)).isGreaterThanOrEqualTo(ROWS * BYTES_OF_ROW);
            Allocation fixed = store.allocate("lane.fixed." + lane, ROWS * BYTES_OF_ROW);
            Random random = new Random(lane);
            ends.add(lanes.submit(() -> count(growing, fixed, random)));
        }
        for (Future<?> end : ends) {
            end.get(60, TimeUnit.SECONDS);
        }
        lanes.shutdown();
        Allocation left = store.allocate("left", ROWS * BYTES_OF_ROW);
        store.close();
        left.loadRows(random(5, 1000), 0, 1000, BYTES_OF_ROW);
        left.loadRange(0, ROWS * BYTES_OF_ROW);
        assertThat(left.bytes().getLong(0)).isZero();
    }

    private static void count(Allocation one, Allocation other, Random random) {
        int[] counts = new int[ROWS];
        for (int call = 0; call < 100; call++) {
            int[] rows = random.ints(1000, -1, ROWS).toArray();
            one.loadRows(rows, 0, rows.length, BYTES_OF_ROW);
            other.loadRows(rows, 0, rows.length, BYTES_OF_ROW);
            for (int row : rows) {
                if (row >= 0) {
                    int at = row * BYTES_OF_ROW + 500;
                    one.bytes().putInt(at, ++counts[row]);
                    other.bytes().putInt(at, counts[row]);
                }
            }
        }
        for (int row = 0; row < ROWS; row++) {
            assertThat(one.bytes().getInt(row * BYTES_OF_ROW + 500)).isEqualTo(counts[row]);
            assertThat(other.bytes().getInt(row * BYTES_OF_ROW + 500)).isEqualTo(counts[row]);
        }
    }
}

package io.psf.benchmarks;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongUnaryOperator;

/**
 * Cases of a table in mapped files that is four times as large as the memory. The floor is the disk's: random reads of
 * 4 KB that pass the system's cache by, from as many threads as the server uses.
 */
final class MappedCases {
    /** The folder of the mapped files, and of the file that the floor reads. */
    static final Path FOLDER = Path.of("target", "bench", "mapped").toAbsolutePath();

    /** The memory above which the table, and the time to write it, would be too large. */
    static final long MOST_MEMORY = 2L << 30;

    private static final int WIDTH = 64;
    private static final int KEYS = 4096;
    private static final int OUTSTANDING = 4;
    private static final int SLICES = 8;
    private static final int WARM_SECONDS = 30;

    private MappedCases() {}

    static List<Case> all() {
        List<Case> cases = new ArrayList<>();
        for (boolean push : new boolean[] {false, true}) {
            for (boolean log : new boolean[] {false, true}) {
                String name = "mapped table 4 times the memory, %s, %s keys"
                        .formatted(push ? "push" : "pull", log ? "log-uniform" : "uniform");
                Line line = new Line(name, "rows/s", Goal.oursAtLeast(log ? 200_000 : 20_000));
                cases.add(Case.of(line, bench -> new Mapped(new Drawn(bench.worker(), push, log))));
            }
        }
        return cases;
    }

    /** Calls with keys that are drawn anew. */
    private static final class Drawn implements Calls {
        private final Worker worker;
        private final boolean push;
        private final TensorId table;
        private final long count;
        private final LongUnaryOperator draw;
        private final long[][] keys = new long[OUTSTANDING][KEYS];
        private final float[][] rows = new float[OUTSTANDING][KEYS * WIDTH];

        /**
         * Creates the table unless it exists.
         *
         * @param log true if the logarithm of a key's number is uniform, and not the number
         */
        Drawn(Worker worker, boolean push, boolean log) {
            long bytes = 4 * ThisProcess.memoryOfMachine();
            long n = bytes / (WIDTH * Float.BYTES);
            SplittableRandom random = new SplittableRandom(20);
            this.worker = worker;
            this.push = push;
            this.draw = log
                    ? rows -> Math.min(rows - 1, (long) Math.pow((double) rows, random.nextDouble()) - 1)
                    : rows -> random.nextLong(rows);
            this.table = Tensors.init(
                    worker,
                    TensorSpec.table("mapped", n, WIDTH)
                            .optimizer(Optimizers.sgd(0.01))
                            .slices(SLICES));
            this.count = n;
        }

        @Override
        public Pending<?> send(int slot) {
            for (int i = 0; i < KEYS; i++) {
                keys[slot][i] = draw.applyAsLong(count);
            }
            return push
                    ? Tensors.pushRows(worker, table, keys[slot], rows[slot])
                    : Tensors.pullRows(worker, table, keys[slot], rows[slot]);
        }

        @Override
        public void close() {
            // the next case uses the table, too
        }
    }

    /** Compares calls with the disk. */
    private static final class Mapped implements Sides {
        private final Drawn calls;
        private final DiskReads disk;

        Mapped(Drawn calls) throws IOException {
            this.calls = calls;
            this.disk = new DiskReads(FOLDER);
            long end = System.nanoTime() + WARM_SECONDS * 1_000_000_000L;
            int unused =
                    Calls.make(calls, OUTSTANDING, sent -> System.nanoTime() < end); // until the cache has its rows
        }

        @Override
        public int least() {
            return 2 * OUTSTANDING;
        }

        @Override
        public double[] floor(int times) throws Exception {
            return new double[] {disk.rate(times * 512)};
        }

        @Override
        public double[] ours(int times) {
            long begin = System.nanoTime();
            Calls.make(calls, times, OUTSTANDING);
            return new double[] {1e9 * KEYS * times / (System.nanoTime() - begin)};
        }

        @Override
        public void close() {
            calls.close();
            disk.close();
        }
    }

    /** Random reads of a file's pages. */
    private static final class DiskReads implements AutoCloseable {
        private static final int THREADS = 16;
        private static final int PAGE = 4096;
        private static final int PAGES = 1 << 18;

        private final Path file;
        private final FileChannel channel;
        private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);

        DiskReads(Path folder) throws IOException {
            Files.createDirectories(folder);
            this.file = Files.createTempFile(folder, "floor-", ".bytes");
            try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
                ByteBuffer block = ByteBuffer.allocateDirect(256 * PAGE);
                for (int i = 0; i < PAGES / 256; i++) {
                    int unused = out.write(block.clear());
                }
                out.force(false);
            }
            this.channel = FileChannel.open(file, StandardOpenOption.READ, direct());
        }

        /**
         * The option of reads past the page cache. It is found by name: a compiler warns of the type, which is the
         * JDK's own.
         */
        private static OpenOption direct() throws IOException {
            try {
                Class<?> options = Class.forName("com.sun.nio.file.ExtendedOpenOption");
                return (OpenOption)
                        Objects.requireNonNull(options.getField("DIRECT").get(null));
            } catch (ReflectiveOperationException e) {
                throw new IOException("no direct reads in this JDK", e);
            }
        }

        /** Returns the pages that are read in a second. */
        double rate(int pages) throws Exception {
            long begin = System.nanoTime();
            List<Future<?>> parts = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                parts.add(threads.submit(() -> read(pages / THREADS)));
            }
            for (Future<?> part : parts) {
                part.get();
            }
            return 1e9 * (pages / THREADS * THREADS) / (System.nanoTime() - begin);
        }

        private Void read(int pages) throws IOException {
            SplittableRandom random = new SplittableRandom();
            ByteBuffer page = ByteBuffer.allocateDirect(2 * PAGE).alignedSlice(PAGE);
            for (int i = 0; i < pages; i++) {
                int unused = channel.read(page.clear().limit(PAGE), (long) random.nextInt(PAGES) * PAGE);
            }
            return null;
        }

        @Override
        public void close() {
            threads.shutdown();
            try {
                channel.close();
                Files.delete(file);
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}

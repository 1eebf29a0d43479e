package io.psf.runtime.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Checkpointed;
import io.psf.api.DeclaredTensor;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.RowListener;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageOutput;
import io.psf.builtin.image.ImageRows;
import io.psf.builtin.image.ShardImage;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.builtin.tensor.SetLearningRate;
import io.psf.builtin.tensor.SetLearningRatePsf;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A shard that is made of the image of another one goes on as that one. */
@Timeout(60)
final class ShardImageTest {
    private static final TensorId T = TensorId.of("t");
    private static final int WORKERS = 4;
    private static final int WIDTH = 3;
    private static final int ROWS = 50;

    /** The function's own state: which keys were seen, and how often all of them. */
    static final class Seen implements Checkpointed, RowListener {
        private final TreeMap<Long, Integer> byRow = new TreeMap<>();
        private int all;

        void add(long key) {
            byRow.merge(key, 1, Integer::sum);
            all++;
        }

        @Override
        public void rowRemoved(long key, int row, int last) {
            byRow.remove(key);
        }

        @Override
        public void rowsRemoved() {
            byRow.clear();
        }

        @Override
        public void saveRow(long key, DataOutput out) throws IOException {
            Integer count = byRow.get(key);
            if (count != null) {
                out.writeInt(count);
            }
        }

        @Override
        public void loadRow(long key, DataInput in) throws IOException {
            byRow.put(key, in.readInt());
        }

        @Override
        public void saveTotal(DataOutput out) throws IOException {
            out.writeInt(all);
        }

        @Override
        public void loadTotal(DataInput in) throws IOException {
            all += in.readInt();
        }
    }

    private static DeclaredTensor tensor(boolean grows, int quorum) {
        TensorInfo info = new TensorInfo(T, grows ? TensorInfo.GROWING : ROWS, WIDTH);
        TensorDeclaration declaration = new TensorDeclaration(
                info,
                1,
                "",
                Node.HOST,
                new Rule("psf.normal", Map.of("mean", "0", "stddev", "1", "seed", "5"), Map.of()),
                new Rule("psf.adam", Map.of("lr", "0.1", "b1", "0.9", "b2", "0.999", "eps", "1e-8"), Map.of()),
                new Rounds(true, true, quorum, false),
                grows ? Map.of("admitAfter", "2", "sketchBytes", "4096", "rows", "30", "eviction", "lru") : Map.of(),
                "");
        return new DeclaredTensor(declaration, TensorLayout.even(info, new int[] {0}));
    }

    private static SparsePush.Request sparse(int seed) {
        Random random = new Random(seed);
        long[] keys = random.longs(12, 0, ROWS).distinct().sorted().toArray();
        return new SparsePush.Request(T, LongArray.wrap(keys), FloatArray.wrap(floats(random, keys.length * WIDTH)));
    }

    private static float[] floats(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static DensePush.Request dense(int seed) {
        return new DensePush.Request(T, FloatArray.wrap(floats(new Random(seed), ROWS * WIDTH)));
    }

    /**
     * Sends the push of a worker: of some rows, or, to a tensor that does not grow, of all of them every third time.
     */
    private static void push(BareServer server, boolean grows, int worker, long call, int attempt) {
        int seed = (int) (call * WORKERS + worker);
        if (grows || seed % 3 != 0) {
            server.worker(worker).call(SparsePushPsf.FUNCTION, sparse(seed), call, attempt);
        } else {
            server.worker(worker).call(DensePushPsf.FUNCTION, dense(seed), call, attempt);
        }
    }

    private static byte[] image(BareServer server) {
        return server.onShard(shard -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try {
                ShardImage.write(shard, out);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return out.toByteArray();
        });
    }

    private static void read(BareServer server, byte[] image) {
        InputStream slow = new FilterInputStream(new ByteArrayInputStream(image)) {
            @Override
            public int read(byte[] into, int begin, int length) throws IOException {
                return super.read(into, begin, Math.min(length, 1 + length / 7)); // as from a socket
            }
        };
        var unused = server.onShard(shard -> {
            try {
                ShardImage.read(shard, slow);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return 0;
        });
    }

    /** Returns what a checkpoint has of the shard, bit by bit, but for times: rows, slots, attachments and totals. */
    private static String content(BareServer server) {
        return server.onShard(shard -> {
            var unusedSeen =
                    shard.findAttachment(Seen.class, Seen::new); // so that its entries are in the order of the rows
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            try {
                var unused = ShardImage.write(
                        withoutTimes(ImageHeader.of(0, shard)),
                        ImageRows.ALL,
                        shard,
                        new ImageOutput(Channels.newChannel(out)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return HexFormat.of().formatHex(out.toByteArray());
        });
    }

    /** Leaves the marks of rows out, which have the times of pushes. Which rows are removed next shows them. */
    private static ImageHeader withoutTimes(ImageHeader all) {
        return new ImageHeader(
                all.save(),
                all.tensor(),
                all.begin(),
                all.end(),
                all.rows(),
                all.optimizer(),
                all.declaration(),
                all.form(),
                all.slots(),
                all.attachments().stream()
                        .filter(name -> !name.endsWith(".RowMarks"))
                        .toList());
    }

    private static int see(StoredShard shard, long key) {
        if (shard.find(key) >= 0) { // the state of a row goes with the row
            shard.attachment(Seen.class, Seen::new).add(key);
        }
        return 0;
    }

    private static void round(BareServer server, boolean grows, long call) {
        for (int worker = 0; worker < WORKERS; worker++) {
            push(server, grows, worker, call, 0);
        }
        for (int worker = 0; worker < WORKERS; worker++) {
            assertThat(server.worker(worker).next()).isEqualTo(call + ": OK");
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void aShardOfAnImageGoesOnAsTheFirstOne(boolean grows, boolean connectsLate) {
        DeclaredTensor tensor = tensor(grows, 0);
        try (BareServer first = new BareServer(tensor, WORKERS);
                BareServer second = new BareServer(tensor, WORKERS)) {
            first.connect(WORKERS);
            if (!connectsLate) {
                second.connect(WORKERS);
            }
            for (long call = 10; call < 16; call++) {
                round(first, grows, call);
            }
            for (int key = 0; key < 30; key += 2) {
                long seen = key;
                var unused = first.onShard(shard -> see(shard, seen));
            }
            // the open rounds: 0 is in the sum, 3 waits for lower ranks, 0 also for the round after
            push(first, grows, 3, 20, 0);
            push(first, grows, 0, 20, 0);
            push(first, grows, 1, 20, 0);
            push(first, grows, 0, 21, 0);
            assertThat(first.worker(0).waits() && first.worker(1).waits()).isTrue();
            String before = content(first);
            read(second, image(first));
            assertThat(content(second)).isEqualTo(before);
            if (connectsLate) {
                second.connect(WORKERS);
            }
            // answered: from memory, and not run again
            for (int worker = 0; worker < WORKERS; worker++) {
                push(second, grows, worker, 15, 1);
                assertThat(second.worker(worker).next()).isEqualTo("15: OK");
            }
            assertThat(content(second)).isEqualTo(before);
            // in a round: waits for the round, and is not added again
            push(second, grows, 0, 20, 1);
            push(second, grows, 3, 20, 1);
            assertThat(second.worker(0).waits() && second.worker(3).waits()).isTrue();
            for (BareServer each : new BareServer[] {first, second}) {
                push(each, grows, 2, 20, 0); // completes the round
                assertThat(each.worker(2).next()).isEqualTo("20: OK");
                assertThat(each.worker(0).next()).isEqualTo("20: OK");
                assertThat(each.worker(3).next()).isEqualTo("20: OK");
            }
            assertThat(content(second)).isEqualTo(content(first)).isNotEqualTo(before);
            push(second, grows, 1, 20, 1); // comes again after its round has closed
            assertThat(second.worker(1).next()).isEqualTo("20: OK");
            assertThat(first.worker(1).next()).isEqualTo("20: OK");
            assertThat(content(second)).isEqualTo(content(first));
            push(second, grows, 0, 21, 1);
            for (BareServer each : new BareServer[] {first, second}) {
                for (int worker = 1; worker < WORKERS; worker++) {
                    push(each, grows, worker, 21, 0);
                }
                for (int worker = 0; worker < WORKERS; worker++) {
                    assertThat(each.worker(worker).next()).isEqualTo("21: OK");
                }
                for (long call = 22; call < 30; call++) {
                    round(each, grows, call);
                }
                var unused = each.onShard(shard -> see(shard, 4));
            }
            assertThat(content(second)).isEqualTo(content(first));
        }
    }

    @Test
    void anImageOfAnImageKnowsThePushesThatNobodyHasAskedFor() {
        DeclaredTensor tensor = tensor(false, 0);
        try (BareServer first = new BareServer(tensor, WORKERS);
                BareServer second = new BareServer(tensor, WORKERS);
                BareServer third = new BareServer(tensor, WORKERS)) {
            first.connect(WORKERS);
            second.connect(WORKERS);
            third.connect(WORKERS);
            push(first, false, 0, 20, 0);
            push(first, false, 1, 20, 0);
            push(first, false, 2, 20, 0);
            assertThat(first.worker(2).waits()).isTrue();
            read(second, image(first));
            push(second, false, 3, 20, 0); // closes the round
            assertThat(second.worker(3).next()).isEqualTo("20: OK");
            String after = content(second);
            read(third, image(second));
            for (int worker = 0; worker < WORKERS; worker++) {
                push(third, false, worker, 20, 1);
                assertThat(third.worker(worker).next()).isEqualTo("20: OK");
            }
            assertThat(content(third)).isEqualTo(after);
        }
    }

    /** The other workers have left before the shard was made: it is not told of that. */
    @Test
    void aPushThatComesAgainClosesARoundThatIsCompleteByNow() {
        DeclaredTensor tensor = tensor(false, 0);
        try (BareServer first = new BareServer(tensor, WORKERS);
                BareServer second = new BareServer(tensor, 1)) {
            first.connect(WORKERS);
            second.connect(1);
            push(first, false, 0, 20, 0);
            assertThat(first.worker(0).waits()).isTrue();
            String before = content(first);
            read(second, image(first));
            push(second, false, 0, 20, 1);
            assertThat(second.worker(0).next()).isEqualTo("20: OK");
            assertThat(content(second)).isNotEqualTo(before);
        }
    }

    @Test
    void aCallThatFailedIsNotRunAgainByTheNewShard() {
        DeclaredTensor tensor = tensor(false, 0);
        try (BareServer first = new BareServer(tensor, WORKERS);
                BareServer second = new BareServer(tensor, WORKERS)) {
            first.connect(WORKERS);
            second.connect(WORKERS);
            first.worker(0).call(SetLearningRatePsf.FUNCTION, new SetLearningRate.Request(T, -1), 10, 0);
            String failure = first.worker(0).next();
            assertThat(failure).startsWith("10: ").isNotEqualTo("10: OK");
            read(second, image(first));
            second.worker(0).call(SetLearningRatePsf.FUNCTION, new SetLearningRate.Request(T, 1), 10, 1);
            assertThat(second.worker(0).next()).isEqualTo(failure);
        }
    }

    @Test
    void aDamagedAnswerChangesNoSession() {
        DeclaredTensor tensor = tensor(false, 0);
        try (BareServer first = new BareServer(tensor, WORKERS);
                BareServer second = new BareServer(tensor, WORKERS)) {
            first.connect(WORKERS);
            second.connect(WORKERS);
            round(first, false, 10);
            byte[] image = image(first);
            image[image.length - 20] ^= 1; // in the last answer
            assertThatThrownBy(() -> read(second, image)).hasMessageContaining("checksum");
            for (int worker = 0; worker < WORKERS - 1; worker++) {
                push(second, false, worker, 10, 1);
                assertThat(second.worker(worker).waits())
                        .as("answered from memory")
                        .isTrue();
            }
        }
    }

    @Test
    void aQuorumKnowsWhoIsLate() {
        DeclaredTensor tensor = tensor(false, 2);
        try (BareServer first = new BareServer(tensor, WORKERS);
                BareServer second = new BareServer(tensor, WORKERS)) {
            first.connect(WORKERS);
            second.connect(WORKERS);
            for (long call = 10; call < 14; call++) {
                push(first, false, 0, call, 0);
                push(first, false, 1, call, 0);
                assertThat(first.worker(0).next()).isEqualTo(call + ": OK");
                assertThat(first.worker(1).next()).isEqualTo(call + ": OK");
            }
            push(first, false, 2, 20, 0); // late
            assertThat(first.worker(2).waits()).isTrue();
            read(second, image(first));
            push(first, false, 3, 20, 0);
            push(second, false, 3, 20, 0);
            assertThat(first.worker(3).next()).isEqualTo("20: OK");
            assertThat(second.worker(3).next()).isEqualTo("20: OK");
            assertThat(content(second)).isEqualTo(content(first));
        }
    }

    @Test
    void aCallWhoseAnswerWasForgottenIsRefusedByTheNewShardToo() {
        DeclaredTensor tensor = tensor(false, 0);
        try (BareServer first = new BareServer(tensor, 1);
                BareServer second = new BareServer(tensor, 1)) {
            first.connect(1);
            second.connect(1);
            for (long call = 10; call < 10_000; call++) {
                push(first, false, 0, call, 0);
                assertThat(first.worker(0).next()).isEqualTo(call + ": OK");
            }
            push(first, false, 0, 10, 1);
            assertThat(first.worker(0).next()).startsWith("10: UNAVAILABLE ").contains("its answer is no longer kept");
            String before = content(first);
            read(second, image(first));
            push(second, false, 0, 10, 1);
            assertThat(second.worker(0).next()).startsWith("10: UNAVAILABLE ").contains("its answer is no longer kept");
            push(second, false, 0, 9_999, 1);
            assertThat(second.worker(0).next()).isEqualTo("9999: OK");
            assertThat(content(second)).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aDamagedOrCutImageIsRefused(boolean grows) {
        DeclaredTensor tensor = tensor(grows, 0);
        try (BareServer first = new BareServer(tensor, WORKERS)) {
            first.connect(WORKERS);
            round(first, grows, 10);
            round(first, grows, 11);
            push(first, grows, 2, 12, 0);
            assertThat(first.worker(2).waits()).isTrue();
            byte[] image = image(first);
            Random random = new Random(7);
            for (int i = 0; i < 30; i++) {
                byte[] damaged = image.clone();
                int at = random.nextInt(image.length);
                damaged[at] ^= (byte) (1 << random.nextInt(8));
                assertRefused(tensor, damaged, "byte " + at);
                assertRefused(tensor, Arrays.copyOf(image, at), "cut at " + at);
            }
        }
        try (BareServer other = new BareServer(tensor(!grows, 0), WORKERS);
                BareServer first = new BareServer(tensor, WORKERS)) {
            first.connect(WORKERS);
            byte[] image = image(first);
            assertThatThrownBy(() -> read(other, image)).hasMessageContaining("shape: ");
        }
    }

    private static void assertRefused(DeclaredTensor tensor, byte[] image, String what) {
        try (BareServer second = new BareServer(tensor, WORKERS)) {
            assertThatThrownBy(() -> read(second, image))
                    .as(what)
                    .cause()
                    .isInstanceOfSatisfying(
                            PsException.class,
                            e -> assertThat(e.code())
                                    .isIn(PsException.Code.STORAGE, PsException.Code.RESOURCE_EXHAUSTED));
        }
    }
}

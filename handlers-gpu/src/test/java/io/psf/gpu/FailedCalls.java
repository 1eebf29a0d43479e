package io.psf.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.gpu.driver.Device;
import io.psf.gpu.driver.PinnedMemory;
import io.psf.gpu.driver.PinnedSlabs;
import io.psf.gpu.onhost.OnHostDriver;
import io.psf.runtime.Chain;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Functions of which a call of the driver fails, each call in turn. Each value is that before or that of a whole
 * function afterwards, or between them where a key is repeated; later pushes are exact. All numbers are small integers.
 */
@ExtendWith(OnHostDriver.class)
class FailedCalls {
    private static final int OUT_OF_MEMORY = 2;
    private static final int OUT_OF_RESOURCES = 701;
    /** More than a growing table has memory for after the first push. */
    private static final int ROWS = 3000;

    private static final long[] ALL = LongStream.range(0, ROWS).toArray();

    private static PsCluster cluster;
    private static Worker worker;

    private final Random random = new Random(1);

    @BeforeAll
    static void start() {
        cluster = PsCluster.builder().servers(1).lanes(1).devices(0).start();
        worker = cluster.worker();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static float[] values(TensorId tensor, int width) {
        float[] values = new float[ROWS * width];
        Tensors.pullRows(worker, tensor, ALL, values).await();
        return values;
    }

    /** Numbers by key for a table of some width. */
    private record Update(int width, long[] keys, float[] values) {
        float[] addedTo(float[] before) {
            float[] sums = before.clone();
            for (int i = 0; i < values.length; i++) {
                sums[(int) keys[i / width] * width + i % width] += values[i];
            }
            return sums;
        }

        float[] removedFrom(float[] before) {
            float[] left = before.clone();
            for (long key : keys) {
                Arrays.fill(left, (int) key * width, ((int) key + 1) * width, 0);
            }
            return left;
        }
    }

    /** A function that fails. */
    private enum Function {
        PUSH_ROWS(false),
        PUSH_ROWS_THAT_GROW(true),
        PUSH_AND_PULL_ROWS_THAT_GROW(true),
        PUSH_ALL(false),
        PULL_ALL(false),
        PULL_ROWS_THAT_GROW(true),
        PULLS_OF_A_CHAIN(true),
        REMOVE_ROWS(true);

        final boolean grows;

        Function(boolean grows) {
            this.grows = grows;
        }

        void run(TensorId tensor, Update update) {
            long[] keys = update.keys();
            switch (this) {
                case PUSH_ROWS, PUSH_ROWS_THAT_GROW ->
                    Tensors.pushRows(worker, tensor, keys, update.values()).await();
                case PUSH_AND_PULL_ROWS_THAT_GROW ->
                    Tensors.pushPullRows(worker, tensor, keys, update.values(), ALL, new float[ROWS * update.width()])
                            .await();
                case PUSH_ALL ->
                    Tensors.push(worker, tensor, update.addedTo(new float[ROWS * update.width()]))
                            .await();
                case PULL_ALL -> Tensors.pull(worker, tensor);
                case PULL_ROWS_THAT_GROW -> FailedCalls.values(tensor, update.width());
                case PULLS_OF_A_CHAIN -> {
                    Chain chain = worker.chain();
                    SparsePullPsf.Stub pull = SparsePullPsf.stub(chain);
                    List<Pending<?>> pulled =
                            List.of(pull.call(tensor, LongArray.wrap(ALL)), pull.call(tensor, LongArray.wrap(keys)));
                    chain.send();
                    pulled.forEach(Pending::await);
                }
                case REMOVE_ROWS -> Tensors.removeRows(worker, tensor, keys).await();
            }
        }

        float[] of(float[] before, Update update) {
            return switch (this) {
                case PUSH_ROWS, PUSH_ROWS_THAT_GROW, PUSH_AND_PULL_ROWS_THAT_GROW, PUSH_ALL -> update.addedTo(before);
                case PULL_ALL, PULL_ROWS_THAT_GROW, PULLS_OF_A_CHAIN -> before;
                case REMOVE_ROWS -> update.removedFrom(before);
            };
        }
    }

    private Update update(int width, int most) {
        long[] keys = random.longs(1 + random.nextInt(most), 0, ROWS).toArray();
        for (int i = 0; i < keys.length / 4; i++) {
            keys[random.nextInt(keys.length)] = keys[0];
        }
        float[] values = new float[keys.length * width];
        for (int i = 0; i < values.length; i++) {
            values[i] = 1 + random.nextInt(3);
        }
        return new Update(width, keys, values);
    }

    @ParameterizedTest
    @EnumSource
    void aFunctionOfWhichACallFailsLeavesATableThatIsRight(Function function) throws IOException {
        for (int width : new int[] {3, 4}) {
            int n = 1;
            while (leavesATableThatIsRight(function, width, n)) {
                n++;
            }
            assertThat(n).as("calls of a function").isGreaterThan(1);
        }
        assertThat(OnHostDriver.violations()).isEmpty();
    }

    /** Returns false if the function has less than n calls. */
    private boolean leavesATableThatIsRight(Function function, int width, int n) throws IOException {
        TensorSpec spec = function.grows ? TensorSpec.growing("t", width) : TensorSpec.table("t", ROWS, width);
        TensorId tensor = Tensors.init(worker, spec.optimizer(Optimizers.add()).device());
        Update first = update(width, 300);
        Tensors.pushRows(worker, tensor, first.keys(), first.values()).await();
        float[] before = values(tensor, width);
        Update failing = update(width, ROWS);
        int result = n % 2 == 0 ? OUT_OF_MEMORY : OUT_OF_RESOURCES;
        boolean failed = fails(function, tensor, failing, "*:" + n + ":" + result);
        List<String> injected = OnHostDriver.injected();
        OnHostDriver.inject("");
        String what = "call " + n + ", " + injected + ", width " + width;
        float[] after = values(tensor, width);
        float[] whole = function.of(before, failing);
        for (int i = 0; i < after.length; i++) {
            float least = failed ? Math.min(before[i], whole[i]) : whole[i];
            float most = failed ? Math.max(before[i], whole[i]) : whole[i];
            assertThat(after[i]).as("element %d, %s", i, what).isBetween(least, most);
        }
        for (int later = 0; later < 2; later++) {
            Update next = update(width, ROWS);
            Tensors.pushRows(worker, tensor, next.keys(), next.values()).await();
            after = next.addedTo(after);
            assertThat(values(tensor, width)).as(what).isEqualTo(after);
        }
        Tensors.clear(worker, tensor);
        return !injected.isEmpty();
    }

    private static boolean fails(Function function, TensorId tensor, Update update, String error) throws IOException {
        OnHostDriver.inject(error);
        try {
            function.run(tensor, update);
            return false;
        } catch (PsException e) {
            assertThat(OnHostDriver.injected()).as(e.detail()).hasSize(1);
            assertThat(e.code())
                    .as(e.detail())
                    .isEqualTo(
                            error.endsWith(":" + OUT_OF_MEMORY)
                                    ? PsException.Code.RESOURCE_EXHAUSTED
                                    : e.detail().startsWith("kernel")
                                            ? PsException.Code.HANDLER_FAILED
                                            : PsException.Code.INTERNAL);
            return true;
        }
    }

    /** The rows that they have created are counted, and have their initial values. */
    @Test
    void pushesThatFailOneAfterTheOtherLeaveMemoryForThoseThatFollow() throws IOException {
        int width = 3;
        Pair pair = Pair.init(
                worker,
                TensorSpec.growing("failing", width)
                        .optimizer(Optimizers.add())
                        .initializer(Initializers.uniform(-1, 1, 5)));
        long[] keys = random.longs(1_000_000).distinct().limit(700_000).toArray();
        int begin = 0;
        for (int round = 0; round < 6; round++) {
            for (int i = 0; i < 6; i++) {
                long[] failing = Arrays.copyOfRange(keys, begin, begin += 1 + random.nextInt(16_000));
                OnHostDriver.inject("cuLaunchKernel(psf_add_rows):1:" + OUT_OF_RESOURCES);
                assertThatThrownBy(() -> push(pair.device(), failing, width)).isInstanceOf(PsException.class);
                assertThat(OnHostDriver.injected()).hasSize(1);
            }
            OnHostDriver.inject("");
            long[] fresh = Arrays.copyOfRange(keys, begin, begin += 1000);
            push(pair.host(), fresh, width);
            push(pair.device(), fresh, width);
            pair.requireEqual(worker, Arrays.copyOf(keys, begin), width);
        }
        pair.clear(worker);
        assertThat(OnHostDriver.violations()).isEmpty();
    }

    @Test
    void shortBuffersOfRequestsShareTheirPageLockedMemory() throws IOException {
        PinnedSlabs slabs = new PinnedSlabs(Device.of(0));
        ByteBuffer first = Objects.requireNonNull(slabs.allocate(4608));
        OnHostDriver.inject("cuMemHostAlloc:1:" + OUT_OF_MEMORY);
        List<ByteBuffer> others = IntStream.range(0, 200)
                .mapToObj(i -> Objects.requireNonNull(slabs.allocate(4608 + i)))
                .toList();
        assertThat(OnHostDriver.injected()).isEmpty();
        assertThat(slabs.allocate(1 << 16)).as("a block of its own").isNull();
        long end = PinnedMemory.address(first) + 4608;
        for (ByteBuffer each : others) {
            assertThat(each.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
            assertThat(PinnedMemory.address(each)).isGreaterThanOrEqualTo(end);
            assertThat(PinnedMemory.address(each) % 128).isZero();
            end = PinnedMemory.address(each) + each.capacity();
        }
        OnHostDriver.inject("");
        int parts = 1 + others.size();
        while (parts++ < 500) { // further blocks
            assertThat(PinnedMemory.address(Objects.requireNonNull(slabs.allocate(4608))))
                    .isNotZero();
        }
    }

    /** Else the formats of the wire would be converted by the server's processor, with the same values. */
    @ParameterizedTest
    @EnumSource(
            value = FloatType.class,
            names = {"FLOAT16", "BFLOAT16", "INT8"})
    void valuesOfTheWireAreConvertedOnTheDevice(FloatType wire) throws IOException {
        TensorId table = Tensors.init(
                worker,
                TensorSpec.table("wire", ROWS, 8)
                        .optimizer(Optimizers.add())
                        .wire(wire)
                        .device());
        String kernel = wire == FloatType.INT8 ? "_bytes" : "";
        OnHostDriver.inject("cuLaunchKernel(psf_decode" + kernel + "):1:" + OUT_OF_RESOURCES);
        assertThatThrownBy(() -> push(table, keys(0, 100), 8)).isInstanceOf(PsException.class);
        push(table, keys(0, 100), 8);
        float[] pulled = new float[800];
        OnHostDriver.inject("cuLaunchKernel(psf_encode" + kernel + "):1:" + OUT_OF_RESOURCES);
        assertThatThrownBy(() ->
                        Tensors.pullRows(worker, table, keys(0, 100), pulled).await())
                .isInstanceOf(PsException.class);
        Tensors.pullRows(worker, table, keys(0, 100), pulled).await();
        assertThat(pulled).containsOnly(1);
        OnHostDriver.inject("cuLaunchKernel(psf_encode" + kernel + "):1:" + OUT_OF_RESOURCES);
        assertThatThrownBy(() -> Tensors.pull(worker, table)).isInstanceOf(PsException.class);
        OnHostDriver.inject("");
        Tensors.clear(worker, table);
    }

    /** Rows that a policy removes: those of the newest pushes stay, so marks are those of their rows. */
    @Test
    void aPushOfWhichACallFailsWhileRowsAreRemovedLeavesATableThatIsRight() throws IOException {
        int n = 1;
        while (leavesATableWithAPolicyThatIsRight(n)) {
            n++;
        }
        assertThat(n).as("calls of a push").isGreaterThan(30);
        assertThat(OnHostDriver.violations()).isEmpty();
    }

    /** Returns false if the push has less than n calls. */
    private boolean leavesATableWithAPolicyThatIsRight(int n) throws IOException {
        int width = 3;
        TensorId table = Tensors.init(
                worker,
                TensorSpec.growing("full", width)
                        .slices(1)
                        .optimizer(Optimizers.add())
                        .policy(TablePolicy.keepAll().mostRows(1000))
                        .device());
        push(table, keys(0, 500), width);
        push(table, keys(500, 1000), width);
        OnHostDriver.inject("*:" + n + ":" + (n % 2 == 0 ? OUT_OF_MEMORY : OUT_OF_RESOURCES));
        boolean failed = false;
        try {
            push(table, keys(1000, 1400), width);
        } catch (PsException e) {
            failed = true;
        }
        List<String> injected = OnHostDriver.injected();
        OnHostDriver.inject("");
        String what = "call " + n + ", " + injected;
        float[] values = new float[1400 * width];
        Tensors.pullRows(worker, table, keys(0, 1400), values).await();
        for (int i = 0; i < values.length; i++) {
            if (!failed || i / width >= 500 && i / width < 1000) {
                assertThat(values[i]).as("element %d, %s", i, what).isEqualTo(i / width < 400 ? 0 : 1);
            } else {
                assertThat(values[i]).as("element %d, %s", i, what).isIn(0f, 1f);
            }
        }
        push(table, keys(1400, 1900), width);
        push(table, keys(1900, 2400), width);
        Set<Long> left = new TreeSet<>();
        Tensors.keys(worker, table).forEach(page -> Arrays.stream(page).forEach(left::add));
        assertThat(left)
                .as(what)
                .isEqualTo(new TreeSet<>(LongStream.range(1400, 2400).boxed().toList()));
        float[] all = new float[1000 * width];
        Tensors.pullRows(worker, table, keys(1400, 2400), all).await();
        assertThat(all).as(what).containsOnly(1);
        Tensors.clear(worker, table);
        return !injected.isEmpty();
    }

    private static long[] keys(int begin, int end) {
        return LongStream.range(begin, end).toArray();
    }

    private static void push(TensorId tensor, long[] keys, int width) {
        float[] ones = new float[keys.length * width];
        Arrays.fill(ones, 1);
        Tensors.pushRows(worker, tensor, keys, ones).await();
    }

    @Test
    void aLaunchThatFailsIsNamed() throws IOException {
        TensorId tensor = Tensors.init(
                worker,
                TensorSpec.table("named", ROWS, 3).optimizer(Optimizers.add()).device());
        OnHostDriver.inject("cuLaunchKernel(psf_add_rows):1:" + OUT_OF_RESOURCES);
        Update update = update(3, 100);
        assertThatThrownBy(() -> Function.PUSH_ROWS.run(tensor, update))
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.HANDLER_FAILED))
                .hasMessageContaining("kernel psf_add_rows<<<")
                .hasMessageContaining("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
        assertThat(values(tensor, 3)).as("nothing was added").containsOnly(0);
        Function.PUSH_ROWS.run(tensor, update);
        assertThat(values(tensor, 3)).isEqualTo(update.addedTo(new float[ROWS * 3]));
        Tensors.clear(worker, tensor);
    }
}

package io.psf.builtin.internal.checkpoint;

import static io.psf.builtin.RowSamples.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.FolderStore;
import io.psf.builtin.Initializers;
import io.psf.builtin.Laws;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.OptimizerStates;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TablePolicy;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.builtin.cache.PushEmbeddingPsf;
import io.psf.builtin.sparse.StoreRowsPsf;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is loaded from a chain of increments is what the tensors had, whatever has changed them. */
@Timeout(120)
final class IncrementLawsTest {
    private static final int ROWS = 120;
    private static final int WIDTH = 3;
    private static final List<String> MODELS = List.of("one", "other");

    /** The tensors of steps that build on earlier ones. */
    private static int increments;

    @TempDir
    private Path folder;

    private static List<TensorSpec> specs() {
        return List.of(
                TensorSpec.table("fixed", ROWS, WIDTH)
                        .initializer(Initializers.normal(0, 1, 5))
                        .optimizer(Optimizers.adam(0.05)),
                TensorSpec.table("half", ROWS, WIDTH)
                        .storage(FloatType.FLOAT16)
                        .initializer(Initializers.normal(0, 1, 7))
                        .optimizer(Optimizers.momentum(0.1, 0.9)),
                TensorSpec.table("rounds", ROWS, WIDTH).updates(Updates.SUM).optimizer(Optimizers.adaGrad(0.1)),
                TensorSpec.growing("growing", WIDTH)
                        .initializer(Initializers.uniform(-1, 1, 3))
                        .optimizer(Optimizers.momentum(0.1, 0.9)),
                TensorSpec.growing("policy", WIDTH)
                        .policy(TablePolicy.keepAll().mostRows(100).expireAfterPushes(40))
                        .optimizer(Optimizers.adaGrad(0.1)));
    }

    private static TensorId id(TensorSpec spec) {
        return spec.tensor().id();
    }

    /** A store of which the operation of a number fails. */
    private static CheckpointStore failing(AtomicInteger left, Path root) {
        FolderStore store = new FolderStore(root);
        return (CheckpointStore) Proxy.newProxyInstance(
                CheckpointStore.class.getClassLoader(),
                new Class<?>[] {CheckpointStore.class},
                (self, method, arguments) -> {
                    boolean writes = method.getName().equals("create")
                            || method.getName().equals("publish");
                    if (writes && left.decrementAndGet() == 0) {
                        throw new IOException("no space left");
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static Map<String, Content.Response> contents(Worker worker) {
        Map<String, Content.Response> all = new HashMap<>();
        for (TensorSpec spec : specs()) {
            all.put(id(spec).name(), ContentPsf.stub(worker).call(id(spec)).await());
        }
        return all;
    }

    private static long[] keys(Random random, int most) {
        return LongStream.range(0, 1 + random.nextInt(most))
                .map(i -> random.nextInt(ROWS))
                .distinct()
                .toArray();
    }

    /** Changes a tensor in one of all ways. */
    private void change(Worker worker, TensorSpec spec, Random random) {
        TensorId tensor = id(spec);
        boolean grows = spec.tensor().grows();
        long[] keys = keys(random, random.nextInt(6) == 0 ? ROWS : 12);
        float[] values = random(random, keys.length * WIDTH);
        switch (random.nextInt(9)) {
            case 0 -> {
                if (!grows) {
                    Tensors.push(worker, tensor, random(random, ROWS * WIDTH)).await();
                }
            }
            case 1, 2 -> Tensors.pushRows(worker, tensor, keys, values).await();
            case 3 ->
                StoreRowsPsf.stub(worker)
                        .call(tensor, LongArray.wrap(keys), FloatArray.wrap(values))
                        .await();
            case 4 -> {
                if (grows) {
                    Tensors.removeRows(worker, tensor, keys).await();
                }
            }
            case 5 -> {
                int[] updates = new int[keys.length];
                Arrays.fill(updates, 2);
                PushEmbeddingPsf.stub(worker)
                        .call(tensor, LongArray.wrap(keys), FloatArray.wrap(values), IntArray.wrap(updates))
                        .await();
            }
            case 6 -> {
                if (!grows) {
                    OptimizerStates.save(worker, List.of(tensor), "laws");
                    Tensors.pushRows(worker, tensor, keys, values).await();
                    OptimizerStates.load(worker, "laws");
                }
            }
            default ->
                WriteRowsPsf.stub(worker)
                        .call(tensor, random.nextInt(WriteRows.WAYS), random.nextLong())
                        .await();
        }
    }

    private ModelCheckpoints model(Worker worker, String name) {
        return ModelCheckpoints.at(worker, name).keep(100).incremental(6);
    }

    /** Changes tensors, and saves and loads the models meanwhile; some saves fail. */
    private void run(
            Worker worker,
            Random random,
            AtomicInteger left,
            Map<String, Map<Long, Map<String, Content.Response>>> saved,
            long seed) {
        List<TensorSpec> specs = specs();
        Tensors.init(worker, specs);
        for (long step = 1; step <= 40; step++) {
            for (int changes = random.nextInt(5); changes > 0; changes--) {
                change(worker, specs.get(random.nextInt(specs.size())), random);
            }
            String name = MODELS.get(random.nextInt(4) / 3);
            ModelCheckpoints model = model(worker, name);
            Map<Long, Map<String, Content.Response>> ofModel = Objects.requireNonNull(saved.get(name));
            switch (random.nextInt(12)) {
                case 0 -> {
                    if (!ofModel.isEmpty()) {
                        Long older = List.copyOf(ofModel.keySet()).get(random.nextInt(ofModel.size()));
                        model.load(older);
                        assertThat(contents(worker))
                                .as("seed %d, model %s, step %d, loaded at %d", seed, name, older, step)
                                .isEqualTo(ofModel.get(older));
                    }
                }
                case 1, 2, 3 -> {
                    left.set(1 + random.nextInt(4));
                    long failed = step;
                    assertThatThrownBy(() -> model.save(failed, Map.of()))
                            .isInstanceOf(PsException.class)
                            .hasMessageContaining("no space left");
                    left.set(0);
                }
                case 4, 5 -> {}
                default -> {
                    ofModel.put(step, contents(worker));
                    model.save(step, Map.of());
                }
            }
        }
    }

    static LongStream seeds() {
        return LongStream.range(0, Laws.cases(8));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void aChainHasWhatTheTensorsHad(long seed) {
        Map<String, Map<Long, Map<String, Content.Response>>> saved = new HashMap<>();
        MODELS.forEach(name -> saved.put(name, new HashMap<>()));
        Random random = new Random(seed);
        AtomicInteger left = new AtomicInteger();
        try (PsCluster cluster = PsCluster.builder()
                .servers(2)
                .checkpoints(failing(left, folder))
                .start()) {
            run(cluster.worker(), random, left, saved, seed);
        }
        try (PsCluster cluster = PsCluster.builder()
                .servers(1 + random.nextInt(3))
                .checkpoints(folder)
                .start()) {
            Tensors.init(cluster.worker(), specs());
            for (String name : MODELS) {
                Objects.requireNonNull(saved.get(name)).forEach((step, contents) -> {
                    model(cluster.worker(), name).load(step);
                    assertThat(contents(cluster.worker()))
                            .as("seed %d, model %s, step %d", seed, name, step)
                            .isEqualTo(contents);
                    SavedFiles files = new SavedFiles(folder, name);
                    for (TensorSpec spec : specs()) {
                        increments += files.bases(id(spec).name(), step).isEmpty() ? 0 : 1;
                    }
                });
            }
        }
    }

    /** The cases are of no use if all rows are saved each time. */
    @AfterAll
    static void manyTensorsBuildOnOthers() {
        assertThat(increments).isGreaterThan(Laws.cases(8) * 8);
    }
}

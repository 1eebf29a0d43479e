package io.psf.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.HandlerProvider;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that no facade makes: each is answered or refused in words, and none is an exception that a handler did not
 * expect.
 */
@Timeout(120)
final class RandomRequestsTest {
    private static final long SEED = Long.getLong("psf.laws.seed", 1);
    private static final int REQUESTS = Laws.cases(60);

    /** Most requests of functions that wait for others end at this deadline. */
    private static final CallOptions BRIEF = CallOptions.DEFAULT.withDeadline(Duration.ofMillis(50));

    private static final int MOST_LATE = 10;
    /** The attempts to draw values that a record takes. */
    private static final int MOST_TRIES = 10_000;

    private static final int ROWS = 40;
    private static final int WIDTH = 2;

    private static final long[] NUMBERS = {
        0,
        1,
        2,
        3,
        7,
        39,
        40,
        -1,
        -2,
        1 << 20,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 40,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private static final String[] TEXTS = {
        "", "model", "a/b", "../x", "-x", "psf.adam", "psf.sgd", "psf.constant", "x\ny", "\0", "x".repeat(5000)
    };

    private static final TensorSpec[] SPECS = {
        TensorSpec.table("fixed", ROWS, WIDTH).optimizer(Optimizers.adam(0.1)),
        TensorSpec.growing("growing", WIDTH).optimizer(Optimizers.adam(0.1)),
        TensorSpec.dense("rounds", ROWS, WIDTH).updates(Updates.MEAN)
    };

    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private Path directory;

    private final Random random = new Random(SEED);

    static Stream<Class<?>> functions() {
        return ServiceLoader.load(HandlerProvider.class).stream()
                .map(provider -> provider.type().getName())
                .filter(name -> name.startsWith("io.psf.builtin."))
                .map(name -> name.substring(0, name.length() - "PsfProvider".length()))
                .map(RandomRequestsTest::named)
                .filter(function -> Modifier.isPublic(function.getModifiers())); // not those of tests
    }

    private static Class<?> named(String name) {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @MethodSource("functions")
    @SuppressWarnings("unchecked")
    void noRequestIsAFailureOfItsHandler(Class<?> function) throws Exception {
        Function<Object, Object> codec = (Function<Object, Object>)
                named(function.getName() + "Psf").getField("FUNCTION").get(null);
        Class<?> request = named(function.getName() + "$Request");
        List<String> failures = new ArrayList<>();
        try (PsCluster cluster =
                PsCluster.builder().servers(2).checkpoints(directory).start()) {
            Worker worker = cluster.worker();
            FunctionCaller caller = FunctionCaller.of(worker);
            int late = 0;
            for (int i = 0; i < REQUESTS && late < MOST_LATE; i++) {
                if (i % 50 == 0) {
                    Tensors.init(worker, Arrays.asList(SPECS));
                }
                Object each = value(request);
                try {
                    caller.call(codec, each, null, BRIEF).await();
                } catch (PsException e) {
                    late += e.code() == Code.TIMED_OUT ? 1 : 0;
                    if (e.detail().contains(" threw ")) {
                        failures.add(e.detail() + " of " + each);
                    }
                }
            }
        }
        assertThat(failures).as("with seed %d", SEED).isEmpty();
    }

    private Object value(Type type) {
        if (type instanceof ParameterizedType list) {
            int count = random.nextInt(3);
            if (list.getRawType() == Map.class) {
                return count == 0
                        ? Map.of()
                        : Map.of(value(list.getActualTypeArguments()[0]), value(list.getActualTypeArguments()[1]));
            }
            return Stream.generate(() -> value(list.getActualTypeArguments()[0]))
                    .limit(count)
                    .toList();
        }
        Class<?> of = (Class<?>) type;
        if (of.isRecord() && of != TensorId.class) {
            return record(of);
        } else if (of.isEnum()) {
            return of.getEnumConstants()[random.nextInt(of.getEnumConstants().length)];
        } else if (of.isArray()) {
            Object array = Array.newInstance(of.getComponentType(), length());
            for (int i = 0; i < Array.getLength(array); i++) {
                Array.set(array, i, value(of.getComponentType()));
            }
            return array;
        }
        return switch (of.getSimpleName()) {
            case "boolean" -> random.nextBoolean();
            case "byte" -> (byte) number();
            case "short" -> (short) number();
            case "int" -> (int) number();
            case "long" -> number();
            case "float" -> (float) real();
            case "double" -> real();
            case "String" -> TEXTS[random.nextInt(TEXTS.length)];
            case "TensorId" ->
                random.nextInt(20) == 0
                        ? TensorId.of("none")
                        : SPECS[random.nextInt(SPECS.length)].tensor().id();
            case "LongArray" ->
                LongArray.wrap(random.longs(length(), -1, ROWS)
                        .map(key -> random.nextInt(9) == 0 ? number() : Math.max(0, key))
                        .toArray());
            case "IntArray" -> IntArray.wrap(random.ints(length(), -1, 4).toArray());
            case "ByteArray" -> ByteArray.wrap(new byte[length()]);
            case "DoubleArray" -> DoubleArray.wrap(random.doubles(length()).toArray());
            case "FloatArray" -> FloatArray.wrap((float[]) value(float[].class));
            default -> throw new AssertionError(type);
        };
    }

    /** Returns lengths that often fit each other, or the tensors. */
    private int length() {
        int[] lengths = {0, 1, 1, 2, 2, 2, WIDTH * 2, ROWS, ROWS * WIDTH};
        return lengths[random.nextInt(lengths.length)];
    }

    private long number() {
        return NUMBERS[random.nextInt(random.nextBoolean() ? 3 : NUMBERS.length)];
    }

    private double real() {
        return random.nextInt(9) == 0
                ? Double.NaN
                : random.nextInt(9) == 0 ? Double.NEGATIVE_INFINITY : random.nextInt(-1, 3);
    }

    private Object record(Class<?> type) {
        RecordComponent[] components = type.getRecordComponents();
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Object[] values = Arrays.stream(components)
                    .map(component -> value(component.getGenericType()))
                    .toArray();
            try {
                return type.getDeclaredConstructor(Arrays.stream(components)
                                .map(RecordComponent::getType)
                                .toArray(Class<?>[]::new))
                        .newInstance(values);
            } catch (InvocationTargetException e) {
                var unused = e; // a value that the record refuses
            } catch (ReflectiveOperationException e) {
                throw new LinkageError(type.getName(), e);
            }
        }
        throw new AssertionError("values of " + type + ": none that it takes");
    }
}

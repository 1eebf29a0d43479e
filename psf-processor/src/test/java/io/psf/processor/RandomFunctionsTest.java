package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import com.google.testing.compile.JavaFileObjects;
import io.psf.api.Place;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import javax.tools.Diagnostic;
import javax.tools.JavaFileObject;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The laws of the language over functions that are drawn from seeds, generated, compiled and run.
 * {@code -Dpsf.laws.functions=20000} tries that many, {@code -Dpsf.laws.seed=..} begins elsewhere.
 */
@Tag("long")
class RandomFunctionsTest {
    private static final int FUNCTIONS = Integer.getInteger("psf.laws.functions", 40);
    private static final int FIRST = Integer.getInteger("psf.laws.seed", 0);
    private static final int AT_ONCE = 300;
    private static final int CALLS = 6;

    @Test
    void decodingMergingAndVersionsKeepTheirLawsForAnyFunction() {
        for (int from = FIRST; from < FIRST + FUNCTIONS; from += AT_ONCE) {
            List<RandomFunction> drawn = IntStream.range(from, Math.min(from + AT_ONCE, FIRST + FUNCTIONS))
                    .mapToObj(FunctionDraw::draw)
                    .toList();
            List<List<Version>> versions = compile(drawn);
            for (int i = 0; i < drawn.size(); i++) {
                check(drawn.get(i), versions.get(i));
            }
        }
    }

    /** Every version of every function that brought something; a version of all at once. */
    static List<List<Version>> compile(List<RandomFunction> drawn) {
        List<List<Version>> versions = new ArrayList<>();
        drawn.forEach(each -> versions.add(new ArrayList<>()));
        int last = drawn.stream().mapToInt(RandomFunction::last).max().orElse(1);
        for (int version = 1; version <= last; version++) {
            int now = version;
            Compilation compilation = Fixtures.compile(drawn.stream()
                    .filter(each -> now <= each.last())
                    .map(each -> JavaFileObjects.forSourceString(each.qualified(), each.source(now)))
                    .toArray(JavaFileObject[]::new));
            for (Diagnostic<? extends JavaFileObject> each : compilation.diagnostics()) {
                throw new AssertionError(each + "\n" + culprit(each, drawn, now));
            }
            ClassLoader classes = Fixtures.load(compilation);
            for (int i = 0; i < drawn.size(); i++) {
                Version each = new Version(drawn.get(i), version, classes);
                if (version <= drawn.get(i).last() && each.function().info().version() == version) {
                    versions.get(i).add(each); // others brought nothing
                }
            }
        }
        return versions;
    }

    private static String culprit(Diagnostic<?> error, List<RandomFunction> drawn, int version) {
        return drawn.stream()
                .filter(each -> error.toString().contains("s" + each.seed() + "/"))
                .map(each -> each.source(version))
                .findFirst()
                .orElse("");
    }

    private static void check(RandomFunction drawn, List<Version> versions) {
        Version last = versions.get(versions.size() - 1);
        try {
            for (Version each : versions) {
                assertThat(each.function().info().schemas())
                        .isEqualTo(last.function().info().schemas().subList(0, each.version()));
            }
            for (int call = 0; call < CALLS; call++) {
                Random random = new Random(31L * drawn.seed() + call);
                int slices = List.of(1, 2, 3, 7, 7, 2).get(call);
                RandomCall made = new RandomCall(versions, layout(drawn, slices, random), random);
                made.requestsOfAnyVersionAreReadByAny();
                made.answersOfAnyVersionAreMergedByAny();
                made.bytesThatAreWrongAreRefused();
            }
        } catch (AssertionError | RuntimeException | ReflectiveOperationException e) {
            throw new AssertionError("seed " + drawn.seed() + ": " + e + "\n" + drawn.source(last.version()), e);
        }
    }

    /** Slices of any size, empty ones included; on nodes as many as slices. */
    static TensorLayout layout(RandomFunction drawn, int slices, Random random) {
        int parts = drawn.isSingle() ? 1 : slices;
        TensorInfo info = new TensorInfo(Version.TENSOR, 1 + random.nextInt(12), 1 + random.nextInt(3));
        if (drawn.place() != Place.SHARD || random.nextBoolean()) {
            return TensorLayout.even(info, IntStream.range(0, parts).toArray());
        }
        List<Long> bounds = new ArrayList<>(List.of(0L, info.rows()));
        while (bounds.size() <= parts) {
            bounds.add((long) random.nextInt((int) info.rows() + 1));
        }
        return new TensorLayout(
                info,
                bounds.stream().sorted().toList(),
                IntStream.range(0, parts).boxed().toList());
    }
}

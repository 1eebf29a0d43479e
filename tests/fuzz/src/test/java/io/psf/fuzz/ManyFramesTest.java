package io.psf.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * The fuzz tests with random scripts, without Jazzer's search for new code, which is slow: {@code -Pdeep} sends ten
 * million frames.
 */
@EnabledIf("io.psf.fuzz.Natives#areThere")
final class ManyFramesTest {
    private static final long FRAMES = Long.getLong("fuzz.frames", 0);
    private static final long TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int LONGEST = 64;
    private static final String NET = "io.psf.runtime.internal.transport.net.";
    private static final List<String> TESTS = List.of(
            "io.psf.fuzz.RequestFuzzTest",
            "io.psf.fuzz.AnswerFuzzTest",
            "io.psf.fuzz.DispatcherFuzzTest",
            NET + "DecoderFuzzTest",
            NET + "RingFuzzTest",
            NET + "LinkFuzzTest",
            NET + "TlsFuzzTest",
            NET + "TlsHandshakeFuzzTest");

    private static final class Target {
        private final String name;
        private final Object test;
        private final Method method;
        private final List<byte[]> seeds = new ArrayList<>();
        private long scripts;
        private long frames;

        Target(String name) throws ReflectiveOperationException {
            Class<?> type = Class.forName(name);
            Constructor<?> constructor = type.getDeclaredConstructor();
            constructor.setAccessible(true);
            this.name = type.getSimpleName();
            this.test = constructor.newInstance();
            this.method = Arrays.stream(type.getDeclaredMethods())
                    .filter(each -> each.isAnnotationPresent(FuzzTest.class))
                    .findFirst()
                    .orElseThrow();
            method.setAccessible(true);
            Method all = type.getDeclaredMethod("seeds");
            all.setAccessible(true);
            ((Stream<?>) all.invoke(null)).forEach(seed -> seeds.add((byte[]) seed));
        }

        /** Runs random scripts for a while. */
        void turn(Random random) throws IllegalAccessException {
            long end = System.nanoTime() + TURN_NANOS;
            long before = Frames.sent();
            while (System.nanoTime() < end) {
                byte[] script = script(random);
                try {
                    method.invoke(test, script);
                } catch (InvocationTargetException e) {
                    throw new AssertionError(
                            name + ", script " + Base64.getEncoder().encodeToString(script), e.getCause());
                }
                scripts++;
            }
            frames += Frames.sent() - before;
        }

        /** A seed with random bytes behind it, and one or none within it. */
        private byte[] script(Random random) {
            byte[] seed = seeds.get(random.nextInt(seeds.size()));
            byte[] more = new byte[random.nextInt(LONGEST)];
            random.nextBytes(more);
            byte[] script = Arrays.copyOf(seed, seed.length + more.length);
            System.arraycopy(more, 0, script, seed.length, more.length);
            if (script.length > 0 && random.nextBoolean()) {
                script[random.nextInt(script.length)] = (byte) random.nextInt();
            }
            return script;
        }
    }

    @Test
    void everyFrameIsReadOrRefused() throws ReflectiveOperationException {
        long seed = Long.getLong("fuzz.seed", System.nanoTime());
        System.out.println("fuzz.seed: " + seed);
        Random random = new Random(seed);
        List<Target> targets = new ArrayList<>();
        for (String name : TESTS) {
            targets.add(new Target(name));
        }
        long sent;
        do {
            for (Target target : targets) {
                target.turn(random);
            }
            sent = targets.stream().mapToLong(target -> target.frames).sum();
        } while (sent < FRAMES);
        for (Target target : targets) {
            System.out.printf("%-22s %,13d scripts %,13d frames%n", target.name, target.scripts, target.frames);
            assertThat(target.scripts).isPositive();
        }
        System.out.printf("%,d frames in all%n", sent);
    }
}

package io.psf.gpu.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Range;
import io.psf.api.array.FloatType;
import io.psf.gpu.Grid;
import io.psf.gpu.Rule;
import io.psf.gpu.driver.Nvcc;
import io.psf.gpu.driver.Ptx;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The shipped PTX: that it is of the source, has what is launched, and assembles. Needs no GPU. */
@Tag("long")
class KernelsTest {
    private static final Path SOURCE = Path.of("src/main/cuda/psf.cu");
    private static final Path SHIPPED = Path.of("src/main/resources/io/psf/gpu/psf.ptx");
    private static final Pattern ENTRY = Pattern.compile("\\.entry (\\w+)\\(([^)]*)\\)");
    private static final Pattern PARAMETER = Pattern.compile("\\.param \\.(?:align \\d+ \\.)?(\\w+)");

    @Test
    void thePtxIsOfTheSource() throws IOException {
        String source = Files.readString(SOURCE);
        if (Boolean.getBoolean("kernels.update")) {
            Files.writeString(SHIPPED, Nvcc.compile(source, "psf.cu"));
        }
        assertThat(Files.readString(SHIPPED).lines().findFirst())
                .as("stale: run mvn test -pl handlers-gpu -am -Dtest=KernelsTest -Dkernels.update=true where nvcc is")
                .contains(Nvcc.header(source, "psf.cu"));
    }

    @Test
    void everyLaunchHasTheParametersOfItsKernel() {
        Map<String, String> shipped = entries();
        Map<String, String> launched = new TreeMap<>();
        Signatures.ALL.forEach((name, types) -> {
            for (Rule rule : name.contains("*") ? Rule.values() : new Rule[] {Rule.ADD}) {
                launched.put(name.replace("*", of(rule).name()), inPtx(types));
            }
        });
        assertThat(launched).isEqualTo(shipped);
    }

    private static RuleKernel of(Rule rule) {
        float[] arguments = new float[rule.arguments()];
        Arrays.fill(arguments, 0.5f);
        return RuleKernel.of(rule.kernel(arguments), null, 1);
    }

    private static String inPtx(String types) {
        return types.replaceAll("[pl]", "u64,")
                .replace("i", "u32,")
                .replaceAll("f(?!\\d)", "f32,")
                .replace("d", "f64,");
    }

    /** Returns the types of each kernel's parameters. */
    private static Map<String, String> entries() {
        Map<String, String> entries = new TreeMap<>();
        Matcher entry = ENTRY.matcher(Ptx.resource(KernelsTest.class, "/io/psf/gpu/psf.ptx"));
        while (entry.find()) {
            StringBuilder types = new StringBuilder();
            Matcher parameter = PARAMETER.matcher(entry.group(2));
            while (parameter.find()) {
                types.append(parameter.group(1).replace('b', 'u')).append(',');
            }
            entries.put(entry.group(1), types.toString());
        }
        return entries;
    }

    @Test
    void everyMethodLaunchesItsKernelWithItsArguments() {
        List<String> launched = new ArrayList<>();
        Kernels kernels = new Kernels((kernel, grid, bits) -> launched.add(kernel + " " + grid.blocks()), 4);
        Generators zeros = Generators.ZEROS;
        Index index = new Index(1, 1023);
        Rows of = new Rows(1, 64, FloatType.FLOAT32);
        kernels.fill(of, 0, 600, zeros);
        kernels.encode(of, 0, 2, 600);
        kernels.decode(of, 0, 2, 600);
        kernels.decodeBytes(1, 2, 8, 0, 3, 600);
        kernels.encodeBytes(1, 600, 8, 2, 3);
        Range range = new Range(0, 10);
        Claims claims = new Claims(3, 63);
        kernels.rowsInRange(1, 10, range, 2, claims, 4);
        kernels.check(1, 10, range, claims, 2);
        kernels.find(1, 10, range, index, 2, 3);
        kernels.findOrInsert(1, 10, index, new NewRows(2, of, 100, zeros), 3, claims, 5);
        kernels.resolve(1, 10, index);
        kernels.index(1, 10, index);
        launchRemovals(kernels.removal(), index, of);
        Items items = new Items(2, 100, 20, 10);
        kernels.pullRange(items, range, of, 3, 4);
        kernels.pullIndex(items, range, index, of, 3, 4, 5);
        Pulls.launch(kernels, 1, 2, 3);
        Pulls.launchOne(
                kernels,
                10,
                new LaunchArguments()
                        .pointer(1)
                        .pointer(2)
                        .index(index)
                        .range(range)
                        .pointer(3)
                        .pointer(4)
                        .i32(10)
                        .rows(of));
        kernels.pullMissing(1, items, of, 3, 4, zeros);
        BagSums.launch(kernels, new BagSums.Pooled(1, 2, 3, 0, 10), of, 4, zeros);
        kernels.end(1, 2);
        Status.endSteps(kernels, 1, 10, 2, 3, 4);
        kernels.scatter(of, 2, 10, 3);
        kernels.count(1, 10);
        kernels.mark(1, 10, 2, claims, 3, 4);
        kernels.squaredNorm(1, 10, 2f, 3);
        kernels.addUp(1, 10, 2, 3);
        Rows narrow = new Rows(1, 8, FloatType.BFLOAT16);
        Stepped lamb = new Stepped(narrow, 2, 3, 4, 0, Corrections.NONE, of(Rule.LAMB));
        kernels.lambSumsAll(lamb, 5, 0, 4096, 6);
        kernels.lambSumsRows(lamb, 5, 6, 0, 1 << 20, 7);
        for (Rule rule : Rule.values()) {
            Stepped stepped = new Stepped(narrow, 2, 3, 4, 0, new Corrections(5, 6), of(rule));
            kernels.stepAll(stepped, 6, 0, 512);
            kernels.stepRows(stepped, 6, 7, 0, 10, 9);
            kernels.stepRest(stepped, 6, 7, 10);
        }
        assertThat(new TreeSet<>(launched.stream()
                        .map(each -> each.substring(0, each.indexOf(' ')))
                        .toList()))
                .isEqualTo(entries().keySet());
        assertThat(launched).contains("psf_fill 3", "psf_adam_all 4", "psf_adam_rest 10", "psf_lamb_sums_rows 16");
        assertThat(kernels.threadsOfSums()).isEqualTo(16 * 256);
    }

    private static void launchRemovals(RemovalKernels kernels, Index index, Rows of) {
        Doom doom = new Doom(1, 2, 3);
        Touch touch = new Touch(1, 2, 3);
        kernels.doomKeys(1, 10, index, doom);
        kernels.planMoves(doom, 10, 1, 2);
        kernels.removeRows(doom, 10, 1, index);
        kernels.keysOf(1, 2, 10, 3);
        kernels.moveKeys(1, 2, 3, 10, index);
        kernels.moveRows(of, 2, 3, 10);
        kernels.touch(1, 10, index, touch, 0, 2);
        kernels.setMarks(touch, 0, 10);
        kernels.writeMarks(1, 10, index, 2, 3);
        kernels.lowerMarks(1, 10, 5);
        kernels.doomIdle(1, 10, 2, 3, doom);
        kernels.doomLowest(new Ranked(1, 2, 10, true, -1), 5, doom);
    }

    @Test
    void argumentsOfOtherTypesAreRefused() {
        assertThat(new LaunchArguments().pointer(1).i32(2).i64(3).f32(4).f64(5).types())
                .isEqualTo("pilfd");
        assertThat(new LaunchArguments().f32(-0f).f64(1).bits())
                .containsExactly(Float.floatToRawIntBits(-0f), Double.doubleToRawLongBits(1));
        assertThatThrownBy(() -> new Grid(1, 0, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theJarHasKernelsForTheUsualDevicesIfTheBuildHadAnAssembler() throws IOException {
        Path ptxas = Nvcc.find().map(nvcc -> nvcc.resolveSibling("ptxas")).orElse(null);
        Assumptions.assumeTrue(ptxas != null && Files.isExecutable(ptxas), "this machine has no ptxas");
        for (int capability : new int[] {80, 86, 89, 90}) {
            String resource = KernelSource.builtin().resource(capability);
            try (InputStream in = KernelsTest.class.getResourceAsStream(resource)) {
                assertThat(in).as(resource).isNotNull();
                assertThat(in.readNBytes(4)).containsExactly(0x7f, 'E', 'L', 'F');
            }
        }
        assertThat(KernelSource.builtin().resource(86)).endsWith("-sm_80.cubin");
        assertThat(KernelsTest.class.getResource(KernelSource.builtin().resource(100)))
                .isNull();
    }

    @Test
    void thePtxAssemblesForEachGenerationOfDevices() throws Exception {
        Path ptxas = Nvcc.find().map(nvcc -> nvcc.resolveSibling("ptxas")).orElse(null);
        Assumptions.assumeTrue(ptxas != null && Files.isExecutable(ptxas), "this machine has no ptxas");
        for (String architecture :
                List.of("sm_75", "sm_86", "sm_89", "sm_100")) { // the build assembles sm_80 and sm_90
            Process process = new ProcessBuilder(
                            String.valueOf(ptxas), "-arch=" + architecture, "-o", "/dev/null", SHIPPED.toString())
                    .redirectErrorStream(true)
                    .start();
            String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as(architecture + ": " + said).isZero();
        }
    }
}

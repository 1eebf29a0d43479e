package io.psf.spark.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.psf.spark.LocalCluster;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.spark.launcher.JavaModuleOptions;
import org.apache.spark.ml.PipelineStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The module for PySpark. No repository that Maven reads has PySpark: a property says where it is. */
final class PythonModuleTest {
    private static final Path MODULE = Path.of("src/main/python/psf_spark.py").toAbsolutePath();
    /** PySpark and Py4J, as a path of Python; empty for none. */
    private static final String PYSPARK = System.getProperty("psf.pyspark", "");

    private static final Pattern CLASS = Pattern.compile("^class (Ps\\w+)\\(", Pattern.MULTILINE);

    @Test
    void eachStageHasAClassOfItsName() throws Exception {
        TreeSet<String> java = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("src/test/resources/public-types.txt"))) {
            String name = "io.psf.spark.ml." + line.strip();
            if (line.startsWith("  Ps")
                    && !line.startsWith("  PsVector")
                    && isStage(name)) { // for OneVsRest of Java and Scala
                java.add(line.strip());
            }
        }
        String text = Files.readString(MODULE);
        List<String> python =
                CLASS.matcher(text).results().map(MatchResult::group).toList();
        assertThat(java).hasSize(16);
        assertThat(python).hasSameSizeAs(java).allMatch(each -> java.contains(each.substring(6, each.length() - 1)));
        assertThat(java).allMatch(each -> text.contains('"' + each + "\","));
    }

    private static boolean isStage(String name) {
        try {
            return PipelineStage.class.isAssignableFrom(
                    Class.forName(name, false, PythonModuleTest.class.getClassLoader()));
        } catch (ClassNotFoundException e) { // of another package
            return false;
        }
    }

    /** Run with {@code -Dpsf.pyspark=/path/of/pyspark:/path/of/py4j.zip}, of a Python with NumPy. */
    @Test
    void pySparkTrainsScoresSavesAndLoads(@TempDir Path folder) throws Exception {
        assumeThat(PYSPARK).as("-Dpsf.pyspark").isNotEmpty();
        Path output = folder.resolve("output.txt");
        ProcessBuilder builder = new ProcessBuilder(
                        System.getProperty("psf.python", "python3"),
                        Path.of("src/test/python/try_psf_spark.py")
                                .toAbsolutePath()
                                .toString(),
                        System.getProperty("java.class.path"),
                        Files.createDirectory(folder.resolve("models")).toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment()
                .putAll(Map.of(
                        "SPARK_HOME",
                        sparkHome(folder.resolve("spark")).toString(),
                        "PYTHONDONTWRITEBYTECODE",
                        "1",
                        "PYTHONPATH",
                        PYSPARK + File.pathSeparator + MODULE.getParent()));
        Process python = builder.start();
        try {
            assertThat(python.waitFor(300, TimeUnit.SECONDS)).isTrue();
        } finally {
            python.destroyForcibly().waitFor();
        }
        assertThat(Files.readString(output)).contains("OK\n");
        assertThat(python.exitValue()).isZero();
    }

    /** Returns a home of Spark with the script that PySpark starts a JVM with, and the class path of this test. */
    private static Path sparkHome(Path home) throws IOException {
        Path submit = Files.createDirectories(home.resolve("bin")).resolve("spark-submit");
        Files.createDirectory(home.resolve("jars"));
        Files.writeString(
                submit,
                "#!/bin/sh\nexec '%s' %s %s -cp '%s' org.apache.spark.deploy.SparkSubmit \"$@\"\n"
                        .formatted(
                                Path.of(System.getProperty("java.home"), "bin", "java"),
                                LocalCluster.FLAGS,
                                JavaModuleOptions.defaultModuleOptions(),
                                System.getProperty("java.class.path")));
        assertThat(submit.toFile().setExecutable(true)).isTrue();
        return home;
    }
}

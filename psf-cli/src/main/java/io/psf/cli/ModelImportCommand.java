package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.CheckpointStore;
import io.psf.builtin.ModelWriter;
import io.psf.interchange.VectorFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Makes a checkpoint from files of other tools. */
@Command(
        name = "import",
        description = {
            "Makes a step of a model from files of other tools, without a cluster: a job begins from it by"
                    + " ModelCheckpoints.loadLatest().",
            "Reads safetensors, npy (NAME.npy, or NAME.keys.npy with NAME.values.npy) and Parquet, also a folder with"
                    + " parts of one table. A table with keys grows. Needs buffers of memory, not a tensor's size."
        },
        footer = {
            "%nExamples:",
            "  psf model import --from words.parquet --model words --to /mnt/checkpoints",
            "  psf model import --from bert.safetensors --tensor word.weight --model bert"
        },
        mixinStandardHelpOptions = true)
final class ModelImportCommand implements Runnable {
    @Option(
            names = "--from",
            paramLabel = "FILE",
            required = true,
            arity = "1..*",
            description = "files, or folders of Parquet files")
    private List<Path> from = new ArrayList<>();

    @Option(names = "--model", paramLabel = "MODEL", required = true, description = "the model's name")
    private String model = "";

    @Option(names = "--to", paramLabel = "DIR", description = "the servers' directory (PSF_CHECKPOINTS)")
    private String to = "";

    @Option(
            names = "--step",
            paramLabel = "N",
            description = "the number of the step, above those that the model has; default: 0")
    private long step;

    @Option(
            names = "--tensor",
            paramLabel = "NAME",
            description = "only the table of this name; or the name for the only table, whose file has another one")
    private @Nullable String tensor;

    @Option(
            names = "--table",
            paramLabel = "KIND",
            description =
                    "growing or fixed; default: growing if the table has keys. A fixed table has the keys 0, 1, 2 ..")
    private String kind = "";

    @Option(
            names = "--optimizer",
            paramLabel = "NAME",
            description = "the optimizer that goes on, such as psf.adam; default: any, or the one of the states in the"
                    + " file. What the file has no states of begins anew")
    private String optimizer = "";

    @Option(names = "--key", paramLabel = "COLUMN", description = "of Parquet the column of keys; default: key")
    private String key = "key";

    @Option(
            names = "--vector",
            paramLabel = "COLUMN",
            description = "of Parquet the column of vectors; default: vector")
    private String vector = "vector";

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        if (!List.of("", "growing", "fixed").contains(kind)) {
            throw new PsException(PsException.Code.CONFIGURATION, "--table: " + kind + " (expected: growing or fixed)");
        }
        CheckpointStore place = CheckpointsOption.place("--to", to, System.getenv());
        Map<String, VectorFile> tables = tables();
        PrintWriter out = Objects.requireNonNull(spec, "spec").commandLine().getOut();
        try (ModelWriter writer = ModelWriter.begin(place, model, step)) {
            tables.forEach((name, table) -> out.println(add(writer, StepOption.tensor(name), table)));
            writer.commit();
        }
        out.println("model " + model + ", step " + step);
        out.flush();
    }

    /** Writes a table, and returns in words what was written. */
    private String add(ModelWriter writer, TensorId id, VectorFile table) {
        boolean grows = kind.isEmpty() ? table.hasKeys() : kind.equals("growing");
        long notFinite = table.addTo(writer, id, grows, optimizer.isEmpty() ? table.optimizer() : optimizer);
        return id + ": " + Units.count(table.rows()) + " rows of " + table.width() + (grows ? ", growing" : ", fixed")
                + (notFinite == 0 ? "" : "; " + Units.count(notFinite) + " have values that are not finite");
    }

    /** Returns the tables of a file. Of a file with several, some of which may be no tables of floats, the one to import. */
    private List<VectorFile> tables(Path file) {
        boolean isSafetensors = file.toString().endsWith(".safetensors");
        if (isSafetensors && tensor != null && VectorFile.names(file).contains(tensor)) {
            return List.of(VectorFile.safetensors(file, tensor));
        }
        boolean hasNames = key.equals("key") && vector.equals("vector");
        return hasNames || isSafetensors || file.toString().endsWith(".npy")
                ? VectorFile.open(file)
                : List.of(VectorFile.parquet(file, key, vector));
    }

    /** Returns the tables by the names of their tensors. */
    private Map<String, VectorFile> tables() {
        Map<String, VectorFile> all = new LinkedHashMap<>();
        for (Path file : from) {
            for (VectorFile each : tables(file)) {
                VectorFile other = all.put(each.name(), each);
                if (other != null && !other.toString().equals(each.toString())) {
                    throw new PsException(
                            PsException.Code.CONFIGURATION,
                            "--from: tables \"" + each.name() + "\" in " + other + " and " + each
                                    + " (expected: names that differ)");
                }
            }
        }
        VectorFile only = tensor == null ? null : all.get(tensor);
        if (tensor == null) {
            return all;
        } else if (only == null && all.size() != 1) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "--tensor: " + tensor + " (expected: one of " + all.keySet() + ", which the files have)");
        }
        return Map.of(tensor, only == null ? all.values().iterator().next() : only);
    }
}

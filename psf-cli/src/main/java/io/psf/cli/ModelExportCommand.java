package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.builtin.Model;
import io.psf.interchange.Npy;
import io.psf.interchange.Parquet;
import io.psf.interchange.Safetensors;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the values of a saved model to files of other tools. */
@Command(
        name = "export",
        description = {
            "Writes the values of a saved model for other tools: one file safetensors, or a file npy or Parquet for each"
                    + " tensor.",
            "A growing table becomes two arrays, NAME.keys and NAME.values; in Parquet each table has the columns key and"
                    + " vector. Needs a buffer of memory, not a tensor's size."
        },
        footer = {
            "%nExamples:",
            "  psf model export ctr --format safetensors --to ctr.safetensors",
            "  psf model export ctr --format npy --to arrays --tensor users",
            "  psf model export ctr --format parquet --to tables --states"
        },
        mixinStandardHelpOptions = true)
final class ModelExportCommand implements Runnable {
    private static final String PARQUET = "parquet";

    @Mixin
    private StepOption step = new StepOption();

    @Option(names = "--format", paramLabel = "FORMAT", required = true, description = "safetensors, npy or parquet")
    private String format = "";

    @Option(
            names = "--to",
            paramLabel = "PATH",
            required = true,
            description = "the file; for npy and parquet the folder, which exists: NAME.npy, NAME.parquet")
    private Path to = Path.of("");

    @Option(names = "--tensor", paramLabel = "NAME", description = "only this tensor; may be repeated")
    private List<String> tensors = new ArrayList<>();

    @Option(
            names = "--states",
            description = "with parquet: also a column for each slot, such as the states of the optimizer")
    private boolean states;

    @Override
    public void run() {
        if (!List.of("safetensors", "npy", PARQUET).contains(format)) {
            throw new PsException(
                    PsException.Code.CONFIGURATION, "--format: " + format + " (expected: safetensors, npy or parquet)");
        }
        if (states && !format.equals(PARQUET)) {
            throw new PsException(
                    PsException.Code.CONFIGURATION, "--states: with " + format + " (expected: with --format parquet)");
        }
        Model model = step.open();
        TensorId[] some = tensors.stream().map(StepOption::tensor).toArray(TensorId[]::new);
        if (format.equals("safetensors")) {
            Safetensors.save(model, to, some);
            return;
        }
        TensorId[] all =
                model.checkpoint().tensors().stream().map(TensorInfo::id).toArray(TensorId[]::new);
        for (TensorId each : some.length == 0 ? all : some) {
            if (states) {
                Parquet.saveWithStates(model, each, file(each, ".parquet"));
            } else if (format.equals(PARQUET)) {
                Parquet.save(model, each, file(each, ".parquet"));
            } else if (model.tensor(each).info().grows()) {
                Npy.save(model, each, file(each, ".keys.npy"), file(each, ".values.npy"));
            } else {
                Npy.save(model, each, file(each, ".npy"));
            }
        }
    }

    private Path file(TensorId tensor, String end) {
        String name = URLEncoder.encode(tensor.name(), StandardCharsets.UTF_8);
        return to.resolve(name.replace("+", "%20") + end);
    }
}

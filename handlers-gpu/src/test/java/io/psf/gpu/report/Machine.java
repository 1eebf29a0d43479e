package io.psf.gpu.report;

import io.psf.gpu.driver.Cuda;
import io.psf.gpu.driver.Device;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The machine that a report is of. */
final class Machine {
    /** The fields of nvidia-smi that explain figures. */
    private static final List<String> FIELDS = List.of(
            "driver_version",
            "pstate",
            "clocks.sm",
            "clocks.max.sm",
            "clocks.mem",
            "clocks.max.mem",
            "power.draw",
            "power.limit",
            "temperature.gpu",
            "ecc.mode.current",
            "mig.mode.current",
            "pcie.link.gen.current",
            "pcie.link.width.current");

    private Machine() {}

    static void describe(Report report) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        facts.put("java", Runtime.version().toString());
        facts.put("processors", Runtime.getRuntime().availableProcessors());
        Cuda.unavailable().ifPresentOrElse(reason -> facts.put("no device", reason), () -> describe(facts));
        String text = facts.entrySet().stream()
                .map(each -> each.getKey() + ": " + each.getValue())
                .collect(Collectors.joining("\n"));
        report.put("machine", facts, text);
        String all = Command.output("nvidia-smi");
        report.put("nvidia-smi", all, all);
    }

    private static void describe(Map<String, Object> facts) {
        facts.put("CUDA of the driver", Cuda.driverVersion());
        Device device = Device.of(0);
        device.use();
        facts.put("device", device.name());
        facts.put("compute capability", device.capability() / 10 + "." + device.capability() % 10);
        facts.put("multiprocessors", device.processors());
        facts.put("memory", device.memory());
        facts.put("free memory", device.free());
        for (String field : FIELDS) {
            facts.put(field, Command.output("nvidia-smi", "--id=0", "--format=csv,noheader", "--query-gpu=" + field));
        }
    }
}

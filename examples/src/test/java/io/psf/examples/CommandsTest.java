package io.psf.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.cli.CommandProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CommandsTest {
    /** The script runs the examples' commands with their class path, and no other command. */
    @Test
    void theScriptKnowsTheExamplesCommands() throws Exception {
        List<String> commands = new ArrayList<>();
        for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
            commands.add(new CommandLine(provider.command()).getCommandName());
        }
        Matcher line =
                Pattern.compile("^examples=\"(.*)\"$", Pattern.MULTILINE).matcher(Files.readString(Path.of("../psf")));
        assertThat(line.find()).isTrue();
        assertThat(line.group(1).split(" ")).containsExactlyInAnyOrder(commands.toArray(String[]::new));
    }
}

package io.psf.cli;

import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.spi.ServiceClassPath;
import java.util.Objects;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * The {@code psf} program. Exit codes: 0 for success, 2 for a usage or configuration error, 3 for a node whose heap is
 * full, 1 for any other failure.
 */
@Command(
        name = "psf",
        description = "A parameter server that you extend by writing an interface.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "",
            "In a checkout, ./psf also runs the examples demo, convnet, lenet, movielens and recommender"
                    + " (./psf demo --help), bench, which measures speed (./psf bench --help), and simulate, which runs a"
                    + " cluster on one thread with faults, by a seed (./psf simulate --help)."
        })
public final class Main implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    private Main() {}

    /** Lists the commands: what psf without a command does. */
    @Override
    public void run() {
        CommandLine psf = Objects.requireNonNull(spec, "spec").commandLine();
        psf.usage(psf.getOut());
    }

    /** Runs a command and exits with its code. */
    public static void main(String[] arguments) {
        ParentWatch.start(System.getenv());
        System.exit(run(arguments));
    }

    /** Runs a command; returns its exit code. */
    static int run(String... arguments) {
        return commandLine().execute(arguments);
    }

    static CommandLine commandLine() {
        CommandLine psf = new CommandLine(new Main());
        psf.addSubcommand(new NodeCommand(null));
        psf.addSubcommand("scheduler", node(Role.SCHEDULER));
        psf.addSubcommand("server", node(Role.SERVER));
        // All arguments after the first word of a user's program belong to the program, options included.
        psf.addSubcommand(new CommandLine(new LaunchCommand()).setStopAtPositional(true));
        psf.addSubcommand(new FunctionsCommand());
        psf.addSubcommand(new StubsCommand());
        psf.addSubcommand(new StatusCommand());
        psf.addSubcommand(new ExplainCommand());
        psf.addSubcommand(new HealthCommand());
        psf.addSubcommand(new StopCommand());
        psf.addSubcommand(new ShellCommand());
        psf.addSubcommand(new ModelCommand());
        psf.addSubcommand(new NewCommand());
        psf.addSubcommand(new PrintClassPathCommand());
        psf.addSubcommand(new AutoComplete.GenerateCompletion());
        for (CommandProvider provider : ServiceLoader.load(CommandProvider.class, ServiceClassPath.of(Main.class))) {
            psf.addSubcommand(provider.command());
        }
        psf.setUsageHelpWidth(Table.TERMINAL);
        psf.setUsageHelpAutoWidth(true);
        FooterLines.set(psf);
        psf.setExpandAtFiles(false);
        psf.setParameterExceptionHandler(new UsageErrors());
        psf.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println("psf: " + reason(failure));
            return isAskedWrongly(failure) ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.SOFTWARE;
        });
        return psf;
    }

    private static CommandLine node(Role role) {
        CommandLine node = new CommandLine(new NodeCommand(role));
        node.getCommandSpec().usageMessage().description("Short for psf node --role " + role.label() + ".");
        return node;
    }

    private static boolean isAskedWrongly(Exception failure) {
        return failure instanceof PsException e && e.code() == PsException.Code.CONFIGURATION;
    }

    private static @Nullable String reason(Exception failure) {
        if (failure instanceof PsException e) {
            return isAskedWrongly(e) ? e.detail() : e.getMessage();
        }
        // Not a user's error: the stack trace locates the defect.
        java.io.StringWriter trace = new java.io.StringWriter();
        failure.printStackTrace(new java.io.PrintWriter(trace, true));
        return trace.toString().stripTrailing();
    }

    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"psf " + (version == null ? "(not from a jar)" : version)};
        }
    }
}

package io.tenfold.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** From arguments to an exit code. */
public final class Main {
    private Main() {}

    /** Runs one command and ends the process with its {@linkplain ExitCode exit code}. */
    public static void main(String[] args) {
        Console console = Console.ofProcess();
        int exitCode = run(console, args);
        if (console.out().checkError()) { // Which flushes, too.
            console.say("cannot write to standard output: what is there is incomplete");
            exitCode = exitCode == ExitCode.OK ? ExitCode.FAILED : exitCode;
        }
        System.exit(exitCode);
    }

    /** Runs one command. */
    static int run(Console console, String... args) {
        CommandLine line = commandLine(console);
        return args.length == 0 ? noCommand(console, line) : line.execute(args);
    }

    /** The command line with all its commands. */
    static CommandLine commandLine(Console console) {
        return new CommandLine(new Tenfold())
                .addSubcommand(new UpCommand(console))
                .addSubcommand(new CreateCommand(console))
                .addSubcommand(new ExamineCommand(console))
                .addSubcommand(new DetailCommand(console))
                .addSubcommand(new ServeCommand(console))
                .addSubcommand(new CopyCommand(console))
                .addSubcommand(new CommandLine(new LabCommand())
                        .addSubcommand(new LabBarrierCommand(console))
                        .addSubcommand(new LabReadsCommand(console))
                        .addSubcommand(new LabSplitCommand(console))
                        .addSubcommand(new LabTagsCommand(console)))
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setUsageHelpWidth(100)
                .setAbbreviatedOptionsAllowed(false)
                .setParameterExceptionHandler((e, _) -> Failures.usage(console, e))
                .setExecutionExceptionHandler((e, _, _) -> Failures.report(console, e));
    }

    private static int noCommand(Console console, CommandLine line) {
        line.usage(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        return ExitCode.USAGE;
    }
}

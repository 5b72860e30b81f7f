package io.tenfold.cli;

import io.tenfold.raid.ArrayPlan;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Serves the array that members make. */
@Command(
        name = "serve",
        header = "Serve the array that members make over NBD.",
        description = {
            "Assembles the members, in whatever order they are named, and serves the array to any NBD client under the empty"
                    + " name and its own, until SIGTERM or Ctrl-C: then it finishes what was asked, marks the array clean"
                    + " and exits with 0. A second signal ends it at once.",
            "An array that was not stopped cleanly has its copies made to agree while it is served; spares take missing slots"
                    + " and are filled. With --read-only nothing is ever written to the members."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  tenfold serve m0.img m1.img m2.img m3.img",
            "  tenfold serve --read-only --listen unix:/tmp/nas.sock /dev/sd[b-e]2"
        })
final class ServeCommand implements Callable<Integer> {
    private final Console console;

    @Mixin
    HelpOption help;

    @Option(names = "--read-only", description = "Take no writes and leave the members as they are.")
    private boolean readOnly;

    @Option(
            names = "--listen",
            paramLabel = "ADDRESS",
            converter = ListenAddress.class,
            defaultValue = ListenAddress.DEFAULT,
            description =
                    "HOST:PORT (port 0: any free one), [IPv6]:PORT, unix:PATH, or a path with a slash in it. Default:"
                            + " ${DEFAULT-VALUE}.")
    private SocketAddress address;

    @Option(
            names = "--run",
            description =
                    "Serve for writing although a member is missing that the others count on. What is written then"
                            + " makes it stale.")
    private boolean run;

    @Option(names = "--json", description = "Print the line that says where it serves as one JSON object.")
    private boolean json;

    @Parameters(arity = "1..*", paramLabel = "MEMBER", description = "Files or block devices, in any order.")
    private List<Path> paths;

    ServeCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws CommandFailure {
        Termination termination = console.termination().get();
        try (Members members = Members.open(paths, readOnly ? Members.Use.READ : Members.Use.WRITE, console)) {
            ArrayPlan plan = readOnly
                    ? Assembled.forReading(members.devices(), console)
                    : Assembled.forWriting(members.devices(), run, console);
            ArrayServer.requireFree(address, console);
            return new ArrayServer(console, plan, readOnly, address, json).run(termination);
        }
    }
}

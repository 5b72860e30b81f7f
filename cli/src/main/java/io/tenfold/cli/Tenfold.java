package io.tenfold.cli;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command of that name, which only holds the others. */
@Command(
        name = "tenfold",
        mixinStandardHelpOptions = true,
        versionProvider = Tenfold.Version.class,
        description = "Mirrored block volumes in user space: Linux md RAID10 arrays, made, read and served over NBD.",
        synopsisSubcommandLabel = "COMMAND",
        exitCodeListHeading = "%nExit status:%n",
        exitCodeList = {
            "0:done, all of it",
            "1:something failed on the way, or only a part could be done",
            "2:the command line is wrong; nothing was touched",
            "3:refused: it would not be safe, or the members do not make an array; nothing was written; of lab: a promised"
                    + " figure is missed"
        })
final class Tenfold implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "command is missing");
    }

    /** What {@code --version} prints. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() throws IOException {
            try (InputStream in = Tenfold.class.getResourceAsStream("version.properties")) {
                Properties properties = new Properties();
                properties.load(in);
                return new String[] {"tenfold " + properties.getProperty("version")};
            }
        }
    }
}

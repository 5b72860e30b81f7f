package io.tenfold.testkit;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Prints each skipped test with its reason, so that nobody takes a skip for a pass. JUnit loads it as a service. */
public final class SkippedAloud implements TestExecutionListener {
    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        say(test, reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (result.getStatus() == TestExecutionResult.Status.ABORTED) {
            say(test, result.getThrowable().map(Throwable::getMessage).orElse("no reason given"));
        }
    }

    private static void say(TestIdentifier test, String reason) {
        String where = test.getSource()
                .map(source -> switch (source) {
                    case MethodSource method -> shortName(method.getClassName()) + ".";
                    case ClassSource _ -> "";
                    default -> "";
                })
                .orElse("");
        System.out.println("SKIPPED " + where + test.getDisplayName() + ": " + reason);
    }

    private static String shortName(String className) {
        return className.substring(className.lastIndexOf('.') + 1);
    }
}

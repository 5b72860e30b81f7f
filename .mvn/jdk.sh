# Sourced by ./tenfold and ./mvnw: sets JAVA_HOME to a JDK of at least version 25, or ends with one line that says how
# to get one. POSIX sh.

jdk_is_fit() { # DIR: has a compiler, and is new enough
    [ -x "$1/bin/java" ] && [ -x "$1/bin/javac" ] || return 1
    if [ -r "$1/release" ]; then
        version=$(sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9]*\).*/\1/p' "$1/release")
    else
        version=$("$1/bin/java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
    fi
    [ "${version:-0}" -ge 25 ] 2>/dev/null
}

jdk_find() {
    [ -n "${JAVA_HOME:-}" ] && jdk_is_fit "$JAVA_HOME" && return 0
    on_path=$(command -v javac 2>/dev/null) || on_path=
    if [ -n "$on_path" ]; then
        while [ -L "$on_path" ]; do
            link=$(readlink "$on_path")
            case $link in /*) on_path=$link ;; *) on_path=$(dirname "$on_path")/$link ;; esac
        done
        on_path=$(cd "$(dirname "$on_path")/.." && pwd)
    fi
    # Version managers and package systems put JDKs here; the first fit one wins.
    for candidate in "$on_path" /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* /usr/local/lib/jvm/* \
        "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/* "$HOME"/.asdf/installs/java/* \
        "$HOME"/.local/share/mise/installs/java/* /Library/Java/JavaVirtualMachines/*/Contents/Home \
        "$HOME"/Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home; do
        if [ -n "$candidate" ] && jdk_is_fit "$candidate"; then
            JAVA_HOME=$candidate
            return 0
        fi
    done
    return 1
}

if jdk_find; then
    export JAVA_HOME
else
    echo "$(basename "$0"): needs a JDK of version 25 or newer and found none: install one (Temurin, https://adoptium.net, or your system's package, such as openjdk-25-jdk) or set JAVA_HOME" >&2
    exit 69
fi

Register-ArgumentCompleter -Native -CommandName links -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    # What is on the line is read, not run.
    $words = @(foreach ($element in $commandAst.CommandElements) {
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
            $element.Value
        } else {
            $element.Extent.Text
        }
    })
    $typed = $wordToComplete -replace '^[''"]', '' -replace '[''"]$', ''
    try {
        $env:LINKS_COMPLETE = 'powershell'
        $env:LINKS_COMPLETE_WORDS = ($words + $typed) -join "`n"
        $candidates = @(& links)
    } finally {
        Remove-Item Env:\LINKS_COMPLETE, Env:\LINKS_COMPLETE_WORDS -ErrorAction Ignore
    }
    foreach ($candidate in $candidates) {
        $value, $told = $candidate -split "`t", 2
        $text = $value
        if ($value -cnotmatch '^[A-Za-z0-9_.:/=+-]+$') {
            $text = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
        }
        if (-not $told) { $told = $value }
        [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $told)
    }
}
